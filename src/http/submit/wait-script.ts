/*
 * The page of a 429 counts down, and sends the form again by itself. Without JavaScript it has a button.
 */

/** Pages wait for longer than the limit says, each for another time: many that wait for one slot would all ask at once. */
const MIN_WAIT_SECONDS = 3;
const SPREAD_SECONDS = 3;

/** The attribute of the element whose text counts down: the seconds. */
export const COUNTDOWN = 'data-seconds';
/** The form that is sent at the end, if there is one. */
export const AUTO_SENT = 'data-auto';

/**
 * Counts with a deadline: timers of tabs in the background are late. A form has the names of its visitors' fields, which hide its own
 * methods: those of the prototype are called. A page that comes back from the browser's history sends nothing again.
 */
export const WAIT_SCRIPT = `(() => {
const shown = document.querySelector('[${COUNTDOWN}]');
const form = document.querySelector('form[${AUTO_SENT}]');
const words = document.querySelectorAll('[data-without-script]');
for (const element of document.querySelectorAll('[data-with-script]')) element.hidden = false;
for (const element of words) element.hidden = true;
const format = new Intl.RelativeTimeFormat(document.documentElement.lang);
const wait = Math.max(${MIN_WAIT_SECONDS}, Number(shown.getAttribute('${COUNTDOWN}'))) + Math.random() * ${SPREAD_SECONDS};
const end = Date.now() + wait * 1000;
let isOver = false;
const finish = () => {
isOver = true;
clearInterval(timer);
};
const send = () => {
if (isOver) return;
if (!navigator.onLine) {
addEventListener('online', send, { once: true });
return;
}
finish();
if (form) HTMLFormElement.prototype.submit.call(form);
};
const tick = () => {
const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
shown.textContent = format.format(left, 'second');
if (left > 0) return;
clearInterval(timer);
send();
};
const timer = setInterval(tick, 250);
document.addEventListener('submit', finish);
tick();
})();`;
