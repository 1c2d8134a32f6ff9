/** The first and last four characters. A key of up to eight characters is masked completely. */
export const maskKey = (key: string): string =>
  key.length <= 8 ? "***" : `${key.slice(0, 4)}***${key.slice(-4)}`;

/** No real key contains a star. */
export const isMaskedKey = (key: string): boolean => key.includes("***");
