/** Unix seconds as the value of a `datetime-local` input in the browser's time zone, such as `2026-11-21T09:30:05`. */
export function toDateTimeLocal(seconds: number): string {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Undefined for an empty or invalid text. */
export function fromDateTimeLocal(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return text === "" || Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}
