/**
 * The URL to frame when a text is only the https URL of another origin. Our own origin is never
 * framed: the framed page could act as the signed-in user.
 */
export function buildIframeUrl(text: string, ownOrigin: string): string | undefined {
  const address = text.trim();
  if (!address.startsWith("https://") || /\s/.test(address) || !URL.canParse(address))
    return undefined;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return undefined;
  return isOtherOrigin(address, ownOrigin) ? address : undefined;
}

export function isOtherOrigin(address: string, ownOrigin: string): boolean {
  if (!URL.canParse(address, ownOrigin)) return false;
  // Compares the host, not the origin: another scheme of our own host is still our own.
  return new URL(address, ownOrigin).host !== new URL(ownOrigin).host;
}
