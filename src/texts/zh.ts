import type { Texts } from './texts.ts';

export const zh: Texts = {
  dir: 'ltr',
  gap: '',
  thanks: { title: '谢谢', text: '您的消息已发送。' },
  back: '返回页面',

  unavailable: { title: '此表单不可用', text: '它所在的页面已下线。' },
  full: { title: '请稍候', text: '过去一分钟内提交此表单的人过多。' },
  busy: { title: '您的消息暂时未能发送', text: '服务当前非常繁忙。' },
  failed: { title: '出了点问题', text: '这不是您的错。您的消息可能没有发送成功。' },
  slow: { title: '您的消息未能发送', text: '网络连接太慢。' },
  notSent: { title: '您的消息未能发送', text: '表单发送的内容无法被接受。' },
  nothingSent: '没有发送任何内容。',
  tryAgain: (time) => `请在${time}重试。`,
  tryAgainSoon: '请稍后重试。',
  goBack: '请在浏览器中返回上一页：您填写的内容应该还在。',

  tooLarge: {
    title: '内容太大，无法发送',
    text: '请缩短文字，或选择较小的文件。',
    file: (name, size) => `文件“${name}”超过了 ${size}。`,
    files: (size) => `所有文件加起来超过了 ${size}。`,
    fileCount: (count) => `一次最多只能发送 ${count} 个文件。`,
    noFiles: '此表单不接收文件。',
  },

  kept: '您填写的内容已保留。',
  filesNotKept: '文件不会保留：请重新选择，或不带文件发送表单。',
  chooseAgain: (name) => `重新选择：${name}`,
  chooseSmaller: (name) => `选择一个较小的文件来代替“${name}”`,
  send: '发送',
  sendAgain: '重新发送',

  wrongForm: {
    title: '此表单未能发送',
    text: '表单的设置不正确。',
    owner: (attribute, tag) => `如果此页面是您制作的：请在表单的 ${tag} 标签中添加 ${attribute}。`,
  },

  wrongSite: {
    title: '无法从此网站提交此表单',
    text: '此表单不接受来自其所在网站的内容。',
    owner: (origin) => `请告知 ${origin} 的管理者：其网站必须列入此表单允许的来源（allowed origins）。`,
  },

  noPage: { title: '找不到页面', text: '此地址没有页面。' },
  wrongMethod: { title: '此处无法进行该操作', text: '不能以这种方式使用此页面。' },
  takenDown: {
    title: '此页面不可用',
    text: '此页面已被下线。',
    contact: (link) => `如有疑问，请联系 ${link}。`,
  },
  pageBusy: { title: '暂时无法显示此页面', text: '服务当前非常繁忙。' },
  pageFailed: { title: '出了点问题', text: '无法显示此页面。' },
  badRequest: { title: '无法打开此地址', text: '请检查地址是否有误。' },
  needsJavaScript: '请启用 JavaScript：此表单用它来区分真人和机器人。',
};
