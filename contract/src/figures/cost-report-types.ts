/**
 * The channel types that have a cost report. Apart from the schemas, because lists of channels need
 * no more.
 */

interface CostReportScope {
  /** An id of the provider that one report may be limited to. */
  pattern: RegExp;
  /** `example` is what the pattern matches, for forms and messages. */
  example: string;
}

/** The channel types whose providers have a cost API, and what a report may be limited to there. */
const scopesByType: Readonly<Record<number, CostReportScope>> = {
  1: { pattern: /^(?:proj|key)_[A-Za-z0-9_-]{1,100}$/, example: "proj_… or key_…" },
  14: { pattern: /^(?:wrkspc|apikey)_[A-Za-z0-9_-]{1,100}$/, example: "wrkspc_… or apikey_…" },
  20: { pattern: /^[0-9a-f]{64}$/, example: "the hash of an API key" },
};

export const hasCostReport = (type: number): boolean => Object.hasOwn(scopesByType, type);
export const findCostReportScope = (type: number): CostReportScope | undefined =>
  hasCostReport(type) ? scopesByType[type] : undefined;
