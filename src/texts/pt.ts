import type { Texts } from './texts.ts';

export const pt: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Obrigado', text: 'A sua mensagem foi enviada.' },
  back: 'Voltar à página',

  unavailable: {
    title: 'Este formulário não está disponível',
    text: 'A página à qual ele pertence já não está no ar.',
  },
  full: {
    title: 'Aguarde um momento, por favor',
    text: 'Muitas pessoas enviaram este formulário no último minuto.',
  },
  busy: {
    title: 'Ainda não foi possível enviar a sua mensagem',
    text: 'O serviço está muito ocupado neste momento.',
  },
  failed: {
    title: 'Ocorreu um erro',
    text: 'A culpa não é sua. É possível que a sua mensagem não tenha sido enviada.',
  },
  slow: { title: 'Não foi possível enviar a sua mensagem', text: 'A conexão estava muito lenta.' },
  notSent: {
    title: 'Não foi possível enviar a sua mensagem',
    text: 'O conteúdo enviado pelo formulário não pôde ser aceito.',
  },
  nothingSent: 'Nada foi enviado.',
  tryAgain: (time) => `Tente novamente ${time}, por favor.`,
  tryAgainSoon: 'Tente novamente daqui a pouco, por favor.',
  goBack: 'Volte atrás no navegador: o que preencheu ainda deve estar lá.',

  tooLarge: {
    title: 'O envio é grande demais',
    text: 'Encurte o texto ou escolha arquivos menores, por favor.',
    file: (name, size) => `O arquivo ${name} tem mais de ${size}.`,
    files: (size) => `Juntos, os arquivos têm mais de ${size}.`,
    fileCount: (count) => `Não é possível enviar mais de ${count} arquivos de uma vez.`,
    noFiles: 'Este formulário não pode receber arquivos.',
  },

  kept: 'O que preencheu foi guardado.',
  filesNotKept: 'Os arquivos não são guardados: escolha-os novamente ou envie o formulário sem eles.',
  chooseAgain: (name) => `Escolher novamente: ${name}`,
  chooseSmaller: (name) => `Escolher um arquivo menor em vez de ${name}`,
  send: 'Enviar',
  sendAgain: 'Enviar novamente',

  wrongForm: {
    title: 'Não foi possível enviar este formulário',
    text: 'O formulário não está configurado corretamente.',
    owner: (attribute, tag) => `Se esta página é sua: adicione ${attribute} à tag ${tag} do formulário.`,
  },

  wrongSite: {
    title: 'Este formulário não pode ser enviado a partir deste site',
    text: 'O formulário não aceita nada do site em que está.',
    owner: (origin) =>
      `Avise os responsáveis por ${origin}, por favor: o site deles tem de estar entre as origens permitidas (allowed origins) do formulário.`,
  },

  noPage: { title: 'Página não encontrada', text: 'Não existe nenhuma página neste endereço.' },
  wrongMethod: { title: 'Isto não é possível aqui', text: 'A página não pode ser usada desta forma.' },
  takenDown: {
    title: 'Esta página não está disponível',
    text: 'Esta página foi retirada do ar.',
    contact: (link) => `Em caso de dúvidas, contate ${link}.`,
  },
  pageBusy: {
    title: 'Não é possível mostrar esta página neste momento',
    text: 'O serviço está muito ocupado neste momento.',
  },
  pageFailed: { title: 'Ocorreu um erro', text: 'Não é possível mostrar esta página.' },
  badRequest: { title: 'Não é possível abrir este endereço', text: 'Verifique se o endereço tem erros, por favor.' },
  needsJavaScript: 'Ative o JavaScript, por favor: este formulário usa-o para distinguir pessoas de robôs.',
};
