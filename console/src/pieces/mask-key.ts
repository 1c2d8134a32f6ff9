/** First and last four characters; a key of eight or fewer would be given away, so it shows nothing. */
export function maskKey(key: string): string {
  return key.length <= 8 ? "***" : `${key.slice(0, 4)}***${key.slice(-4)}`;
}
