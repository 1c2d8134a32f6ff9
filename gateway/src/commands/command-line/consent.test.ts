import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askConsent } from "./consent.ts";

async function answered(text: string | undefined, { isPerson = true, yes = false } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked = askConsent("Delete it?", yes ? { yes: true } : {}, { input, output, isPerson });
  if (text !== undefined) input.end(text);
  return { consent: await asked, shown: String(output.read() ?? "") };
}

test.each([
  ["y\n", "given"],
  ["Yes\n", "given"],
  ["\n", "refused"],
  ["yup\n", "refused"],
  ["", "refused"],
])("of the answer %j, consent is %s", async (text, consent) => {
  expect(await answered(text)).toEqual({ consent, shown: "Delete it? [y/N] " });
});

test("without a terminal nobody is asked, and with --yes nobody needs to be", async () => {
  expect(await answered(undefined, { isPerson: false })).toEqual({ consent: "unasked", shown: "" });
  expect(await answered(undefined, { isPerson: false, yes: true })).toEqual({
    consent: "given",
    shown: "",
  });
  expect(await answered(undefined, { yes: true })).toEqual({ consent: "given", shown: "" });
});
