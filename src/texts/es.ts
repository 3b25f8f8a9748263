import type { Texts } from './texts.ts';

export const es: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Gracias', text: 'Su mensaje se ha enviado.' },
  back: 'Volver a la página',

  unavailable: {
    title: 'Este formulario no está disponible',
    text: 'La página a la que pertenece ya no está en línea.',
  },
  full: {
    title: 'Espere un momento, por favor',
    text: 'Demasiadas personas han enviado este formulario en el último minuto.',
  },
  busy: { title: 'Su mensaje todavía no se ha podido enviar', text: 'El servicio está muy ocupado en este momento.' },
  failed: {
    title: 'Se ha producido un error',
    text: 'No es culpa suya. Es posible que su mensaje no se haya enviado.',
  },
  slow: { title: 'No se ha podido enviar su mensaje', text: 'La conexión era demasiado lenta.' },
  notSent: {
    title: 'No se ha podido enviar su mensaje',
    text: 'No se ha podido aceptar lo que ha enviado el formulario.',
  },
  nothingSent: 'No se ha enviado nada.',
  tryAgain: (time) => `Inténtelo de nuevo ${time}.`,
  tryAgainSoon: 'Inténtelo de nuevo dentro de un momento.',
  goBack: 'Vuelva atrás en el navegador: lo que ha escrito debería seguir allí.',

  tooLarge: {
    title: 'El envío es demasiado grande',
    text: 'Acorte el texto o elija archivos más pequeños.',
    file: (name, size) => `El archivo ${name} ocupa más de ${size}.`,
    files: (size) => `En conjunto, los archivos ocupan más de ${size}.`,
    fileCount: (count) => `No se pueden enviar más de ${count} archivos a la vez.`,
    noFiles: 'Este formulario no puede recibir archivos.',
  },

  kept: 'Lo que ha escrito se ha conservado.',
  filesNotKept: 'Los archivos no se conservan: elíjalos otra vez o envíe el formulario sin ellos.',
  chooseAgain: (name) => `Elegir otra vez: ${name}`,
  chooseSmaller: (name) => `Elegir un archivo más pequeño en lugar de ${name}`,
  send: 'Enviar',
  sendAgain: 'Enviar otra vez',

  wrongForm: {
    title: 'No se ha podido enviar este formulario',
    text: 'El formulario no está bien configurado.',
    owner: (attribute, tag) => `Si esta página es suya: añada ${attribute} a la etiqueta ${tag} del formulario.`,
  },

  wrongSite: {
    title: 'Este formulario no se puede enviar desde este sitio',
    text: 'El formulario no acepta nada del sitio en el que está.',
    owner: (origin) =>
      `Avise a los responsables de ${origin}: su sitio debe figurar entre los orígenes permitidos (allowed origins) del formulario.`,
  },

  noPage: { title: 'Página no encontrada', text: 'No hay ninguna página en esta dirección.' },
  wrongMethod: { title: 'Esto no es posible aquí', text: 'La página no se puede usar de esta manera.' },
  takenDown: {
    title: 'Esta página no está disponible',
    text: 'Esta página se ha retirado.',
    contact: (link) => `Si tiene preguntas, póngase en contacto con ${link}.`,
  },
  pageBusy: {
    title: 'Esta página no se puede mostrar en este momento',
    text: 'El servicio está muy ocupado en este momento.',
  },
  pageFailed: { title: 'Se ha producido un error', text: 'Esta página no se puede mostrar.' },
  badRequest: {
    title: 'No se puede abrir esta dirección',
    text: 'Compruebe que la dirección no tenga errores.',
  },
  needsJavaScript: 'Active JavaScript, por favor: este formulario lo usa para distinguir a las personas de los robots.',
};
