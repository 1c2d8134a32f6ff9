/** The URL of the operator's logo if it is an https image or one of this server; other URLs are never loaded. */
export function toImageUrl(text: string | undefined, ownOrigin: string): string | undefined {
  if (text === undefined || text === "" || !URL.canParse(text, ownOrigin)) return undefined;
  const { protocol, origin, href } = new URL(text, ownOrigin);
  return protocol === "https:" || (protocol === "http:" && origin === ownOrigin) ? href : undefined;
}
