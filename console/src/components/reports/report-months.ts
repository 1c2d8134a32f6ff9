/** The months that a report can be asked for. Pure. */

/** `listedMonths` are as far back as the list goes; an address may name any other month. */
const listedMonths = 24;
const pattern = /^20[2-9]\d-(?:0[1-9]|1[0-2])$/;

const formatMonthText = (date: Date): string => date.toISOString().slice(0, "2026-11".length);

/** `YYYY-MM`, the latest first; months are UTC. */
export function listRecentMonths(nowMs: number): string[] {
  const now = new Date(nowMs);
  return Array.from({ length: listedMonths }, (_, back) =>
    formatMonthText(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))),
  );
}

/** The month of an address, or the present one. */
export function readMonth(text: string, nowMs: number): string {
  const present = formatMonthText(new Date(nowMs));
  return pattern.test(text) && text <= present ? text : present;
}

/** The first and the last day of a month, both inclusive. */
export function buildDays(month: string): { from: string; to: string } {
  const [year = 0, place = 0] = month.split("-").map(Number);
  const last = new Date(Date.UTC(year, place, 0));
  return { from: `${month}-01`, to: last.toISOString().slice(0, "2026-11-30".length) };
}
