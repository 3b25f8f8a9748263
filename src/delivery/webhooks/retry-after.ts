const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d) \d\d:\d\d:\d\d GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The value of Retry-After in seconds: a number, or a date in any of HTTP's formats (RFC 9110, 10.2.3 and 5.6.7). */
export function secondsOf(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const date = ASCTIME_DATE.test(retryAfter) ? `${retryAfter} GMT` : HTTP_DATE.test(retryAfter) ? retryAfter : '';
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - Date.now()) / 1000));
}
