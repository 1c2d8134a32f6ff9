/** Browsers name a handful; a longer list is not read to its end. */
const languagesMax = 20;

/**
 * The languages of the header Accept-Language, the preferred one first (RFC 9110, 12.5.4). A weight
 * of 0 excludes one.
 */
export function listAcceptedLanguages(headers: Headers): string[] {
  return (headers.get("accept-language") ?? "")
    .split(",", languagesMax)
    .map((part) => {
      const [name = "", weight] = part.split(";");
      const quality = /^\s*q=([01](?:\.[0-9]{0,3})?)\s*$/.exec(weight ?? "")?.[1];
      return { name: name.trim(), quality: weight === undefined ? 1 : Number(quality ?? 0) };
    })
    .filter(({ name, quality }) => name !== "" && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ name }) => name);
}
