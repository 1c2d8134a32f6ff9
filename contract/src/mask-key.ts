/** First and last four characters; a key of eight or fewer would be given away, so it shows nothing. */
export const maskKey = (key: string): string => (key.length <= 8 ? "***" : `${key.slice(0, 4)}***${key.slice(-4)}`);

/** No key has a star in it. */
export const isMaskedKey = (key: string): boolean => key.includes("***");
