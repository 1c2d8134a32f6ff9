/** `2026-11-21T09:30:05` in the viewer's zone, as a datetime-local field wants it. */
export function toDateTimeLocal(seconds: number): string {
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Empty or unreadable text is no moment. */
export function fromDateTimeLocal(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return text === "" || Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}
