// How a row of the trust page is kept: what is promised, and what shows it.

/** A test by its file and the title (or the beginning of a full name) that stands there word for word. */
export type NamedTest = readonly [file: string, title: string];

export interface Evidence {
  /** All of them must pass. */
  tests?: readonly NamedTest[];
  /** Why the row has no meaning here. */
  notApplicable?: string;
  /** What no test shows: everything where there are no tests, else what they leave out. */
  open?: string;
}

export type PromiseState = "tested" | "tested in part" | "not applicable" | "open";

export function promiseStateOf({ tests, notApplicable, open }: Evidence): PromiseState {
  if (notApplicable !== undefined) return "not applicable";
  if (tests === undefined) return "open";
  return open === undefined ? "tested" : "tested in part";
}
