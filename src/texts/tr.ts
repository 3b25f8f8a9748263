import type { Texts } from './texts.ts';

export const tr: Texts = {
  dir: 'ltr',
  gap: ' ',
  thanks: { title: 'Teşekkür ederiz', text: 'Mesajınız gönderildi.' },
  back: 'Sayfaya dön',

  unavailable: { title: 'Bu form kullanılamıyor', text: 'Ait olduğu sayfa artık yayında değil.' },
  full: {
    title: 'Lütfen biraz bekleyin',
    text: 'Son bir dakika içinde bu formu çok fazla kişi gönderdi.',
  },
  busy: { title: 'Mesajınız henüz gönderilemedi', text: 'Hizmet şu anda çok yoğun.' },
  failed: {
    title: 'Bir sorun oluştu',
    text: 'Bu sizden kaynaklanmıyor. Mesajınız gönderilmemiş olabilir.',
  },
  slow: { title: 'Mesajınız gönderilemedi', text: 'Bağlantı çok yavaştı.' },
  notSent: { title: 'Mesajınız gönderilemedi', text: 'Formun gönderdiği içerik kabul edilemedi.' },
  nothingSent: 'Hiçbir şey gönderilmedi.',
  tryAgain: (time) => `Lütfen ${time} yeniden deneyin.`,
  tryAgainSoon: 'Lütfen birazdan yeniden deneyin.',
  goBack: 'Tarayıcınızda geri dönün: doldurduklarınız hâlâ orada olmalı.',

  tooLarge: {
    title: 'Göndermek için çok büyük',
    text: 'Lütfen metni kısaltın veya daha küçük dosyalar seçin.',
    file: (name, size) => `${name} dosyası ${size} sınırını aşıyor.`,
    files: (size) => `Dosyalar toplamda ${size} sınırını aşıyor.`,
    fileCount: (count) => `Bir defada en fazla ${count} dosya gönderilebilir.`,
    noFiles: 'Bu form dosya kabul etmiyor.',
  },

  kept: 'Doldurduklarınız saklandı.',
  filesNotKept: 'Dosyalar saklanmaz: lütfen onları yeniden seçin veya formu onlar olmadan gönderin.',
  chooseAgain: (name) => `Yeniden seçin: ${name}`,
  chooseSmaller: (name) => `${name} yerine daha küçük bir dosya seçin`,
  send: 'Gönder',
  sendAgain: 'Yeniden gönder',

  wrongForm: {
    title: 'Bu form gönderilemedi',
    text: 'Form doğru ayarlanmamış.',
    owner: (attribute, tag) => `Bu sayfayı siz yaptıysanız: formun ${tag} etiketine ${attribute} ekleyin.`,
  },

  wrongSite: {
    title: 'Bu form bu siteden gönderilemiyor',
    text: 'Form, bulunduğu siteden hiçbir şey kabul etmiyor.',
    owner: (origin) =>
      `Lütfen ${origin} sitesini yönetenlere bildirin: siteleri, formun izin verilen kaynakları (allowed origins) arasında olmalı.`,
  },

  noPage: { title: 'Sayfa bulunamadı', text: 'Bu adreste bir sayfa yok.' },
  wrongMethod: { title: 'Bu burada mümkün değil', text: 'Sayfa bu şekilde kullanılamaz.' },
  takenDown: {
    title: 'Bu sayfa kullanılamıyor',
    text: 'Bu sayfa yayından kaldırıldı.',
    contact: (link) => `Sorularınız için: ${link}.`,
  },
  pageBusy: { title: 'Bu sayfa şu anda gösterilemiyor', text: 'Hizmet şu anda çok yoğun.' },
  pageFailed: { title: 'Bir sorun oluştu', text: 'Bu sayfa gösterilemiyor.' },
  badRequest: { title: 'Bu adres açılamıyor', text: 'Lütfen adreste hata olup olmadığını kontrol edin.' },
  needsJavaScript: 'Lütfen JavaScript’i açın: bu form, insanları robotlardan ayırt etmek için onu kullanır.',
};
