/**
 * The page to frame when a text is nothing but the https address of another origin. Our own is never framed: inside a
 * frame it could act as the person who looks at it.
 */
export function toIframeUrl(text: string, ownOrigin: string): string | undefined {
  const address = text.trim();
  if (!address.startsWith("https://") || /\s/.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return undefined;
  return isOtherOrigin(address, ownOrigin) ? address : undefined;
}

export function isOtherOrigin(address: string, ownOrigin: string): boolean {
  if (!URL.canParse(address, ownOrigin)) return false;
  // The host rather than the origin: another scheme of our own host is still us.
  return new URL(address, ownOrigin).host !== new URL(ownOrigin).host;
}
