import type { Texts } from './texts.ts';

export const ja: Texts = {
  dir: 'ltr',
  gap: '',
  thanks: { title: 'ありがとうございました', text: 'メッセージを送信しました。' },
  back: 'ページに戻る',

  unavailable: {
    title: 'このフォームはご利用いただけません',
    text: 'このフォームのページは現在公開されていません。',
  },
  full: {
    title: 'しばらくお待ちください',
    text: 'この1分間に、多くの方がこのフォームを送信しました。',
  },
  busy: { title: 'メッセージをまだ送信できませんでした', text: 'ただいま大変混み合っています。' },
  failed: {
    title: '問題が発生しました',
    text: 'お客様の操作が原因ではありません。メッセージが送信されていない可能性があります。',
  },
  slow: { title: 'メッセージを送信できませんでした', text: '通信速度が遅すぎました。' },
  notSent: {
    title: 'メッセージを送信できませんでした',
    text: 'フォームから送られた内容を受け付けることができませんでした。',
  },
  nothingSent: '何も送信されていません。',
  tryAgain: (time) => `${time}にもう一度お試しください。`,
  tryAgainSoon: 'しばらくしてからもう一度お試しください。',
  goBack: 'ブラウザーで前のページに戻ってください。入力した内容が残っているはずです。',

  tooLarge: {
    title: '大きすぎて送信できません',
    text: '文章を短くするか、より小さなファイルを選んでください。',
    file: (name, size) => `ファイル「${name}」は${size}を超えています。`,
    files: (size) => `ファイルの合計が${size}を超えています。`,
    fileCount: (count) => `一度に送信できるファイルは${count}個までです。`,
    noFiles: 'このフォームではファイルを送信できません。',
  },

  kept: '入力した内容は保存されています。',
  filesNotKept: 'ファイルは保存されません。もう一度選ぶか、ファイルなしで送信してください。',
  chooseAgain: (name) => `もう一度選択：${name}`,
  chooseSmaller: (name) => `「${name}」の代わりに、より小さなファイルを選択`,
  send: '送信',
  sendAgain: 'もう一度送信',

  wrongForm: {
    title: 'このフォームを送信できませんでした',
    text: 'フォームが正しく設定されていません。',
    owner: (attribute, tag) => `このページを作成した方へ：フォームの ${tag} タグに ${attribute} を追加してください。`,
  },

  wrongSite: {
    title: 'このサイトからはこのフォームを送信できません',
    text: 'このフォームは、設置されているサイトからの送信を受け付けていません。',
    owner: (origin) =>
      `${origin}の運営者にお知らせください。そのサイトをフォームの許可されたオリジン（allowed origins）に追加する必要があります。`,
  },

  noPage: { title: 'ページが見つかりません', text: 'このアドレスにはページがありません。' },
  wrongMethod: { title: 'ここではご利用いただけません', text: 'このページをこの方法で利用することはできません。' },
  takenDown: {
    title: 'このページはご利用いただけません',
    text: 'このページは公開が停止されました。',
    contact: (link) => `お問い合わせ先：${link}`,
  },
  pageBusy: { title: '現在このページを表示できません', text: 'ただいま大変混み合っています。' },
  pageFailed: { title: '問題が発生しました', text: 'このページを表示できません。' },
  badRequest: { title: 'このアドレスは開けません', text: 'アドレスに誤りがないかご確認ください。' },
  needsJavaScript: 'JavaScript を有効にしてください。このフォームは、人とロボットを見分けるために使用しています。',
};
