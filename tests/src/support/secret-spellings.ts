/**
 * A secret in the spellings in which a server may quote it: what it says, and what of it must not
 * be left.
 */

export const quotedSecret = "sk-proj-4711canaryABCDEFxyz";

/** Base64 of a header with the secret between two texts, and what of it is the secret's. */
function base64Between(before: string, after: string): [string, string] {
  const whole = Buffer.from(before + quotedSecret + after).toString("base64");
  return [
    whole,
    whole.slice(
      Math.ceil((before.length * 8) / 6),
      Math.floor(((before + quotedSecret).length * 8) / 6),
    ),
  ];
}
export const secretSpellings: [name: string, said: string, hidden?: string][] = [
  ["upper case", quotedSecret.toUpperCase()],
  ["lower case", quotedSecret.toLowerCase()],
  ["reversed", [...quotedSecret].reverse().join("")],
  ["with spaces", [...quotedSecret].join(" ")],
  ["with line breaks and dashes", quotedSecret.replaceAll(/(.{3})/g, "$1-\n")],
  ["hexadecimal", Buffer.from(quotedSecret).toString("hex")],
  [
    "hexadecimal in upper case, with colons",
    Buffer.from(quotedSecret).toString("hex").toUpperCase().replaceAll(/(..)/g, "$1:"),
  ],
  ["base64", Buffer.from(quotedSecret).toString("base64")],
  ["base64 for addresses", Buffer.from(quotedSecret).toString("base64url")],
  ["base64 of its header", ...base64Between("Authorization: Bearer ", "")],
  ["base64 of other headers", ...base64Between("x: ", "\r\ny: z")],
  ["base64 of more", ...base64Between("ab: ", "!")],
  ["reversed in base64", Buffer.from([...quotedSecret].reverse().join("")).toString("base64")],
  ["the first half", quotedSecret.slice(0, 14)],
  ["the second half", quotedSecret.slice(14)],
];

/** Every run of twelve letters and digits of `hidden` that is left in the cleaned text. */
export function runsLeft(cleaned: string, hidden: string): string[] {
  const left = cleaned.replaceAll("[key]", "|").replaceAll(/[^a-z0-9|]/gi, "");
  const letters = hidden.replaceAll(/[^a-z0-9]/gi, "");
  const runs = Array.from({ length: Math.max(0, letters.length - 11) }, (_, at) =>
    letters.slice(at, at + 12),
  );
  return runs.filter((run) => left.includes(run));
}
