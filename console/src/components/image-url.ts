/** The operator's logo as an address to load: a picture on the web or of this server. Nothing else is asked for at all. */
export function toImageUrl(text: string | undefined, ownOrigin: string): string | undefined {
  if (text === undefined || text === "" || !URL.canParse(text, ownOrigin)) return undefined;
  const { protocol, origin, href } = new URL(text, ownOrigin);
  return protocol === "https:" || (protocol === "http:" && origin === ownOrigin) ? href : undefined;
}
