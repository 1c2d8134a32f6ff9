import { isDataImage } from "@tollgate/contract/site/data-image.ts";

/**
 * `buildImageUrl` returns the address of the operator's logo: https, this server, or a picture as
 * data; others are never loaded.
 */
export function buildImageUrl(text: string | undefined, ownOrigin: string): string | undefined {
  if (text === undefined || text === "" || !URL.canParse(text, ownOrigin)) return undefined;
  if (isDataImage(text)) return text;
  const { protocol, origin, href } = new URL(text, ownOrigin);
  return protocol === "https:" || (protocol === "http:" && origin === ownOrigin) ? href : undefined;
}
