import { i18n } from "@lingui/core";
import { compileMessage as reference } from "@lingui/message-utils/compileMessage";
import { expect, test } from "vitest";
import { compileMessage } from "./compile-message.ts";

const sentences = [
  "Sign In",
  "Sign In to {name}",
  "{0} of {count} items",
  'Are you sure you want to delete token "{name}"?',
  "It's here, it''s not {name}",
  "Write '{'literal'}' braces around {name}",
  "{count, plural, one {# row} other {# rows}} selected",
  "{count, plural, =0 {none} one {a row of {name}} other {# rows of {name}}}",
  "{kind, select, on {is on} other {is off}} now",
  "Version <0>{version}</0>",
  "50 % # of it",
];

test.each(sentences)("reads like the translation library, each time: %s", (sentence) => {
  const expected = [reference(sentence)].flat();
  const read = () =>
    JSON.parse(JSON.stringify(compileMessage(sentence), withoutUnknown)) as unknown;
  expect([read(), read()]).toEqual([expected, expected]);
});

/** The library has no case for a number that is not known. */
const withoutUnknown = (name: string, value: unknown) => (name === "NaN" ? undefined : value);

test("a number that is not known is counted by a dash", () => {
  i18n.setMessagesCompiler(compileMessage);
  i18n.loadAndActivate({ locale: "en", messages: {} });
  const sentence = "{count, plural, one {# row} other {# rows of {name}}}";
  const counted = [1, 2, Number.NaN].map((count) => i18n._(sentence, { count, name: "ruth" }));
  expect(counted).toEqual(["1 row", "2 rows of ruth", "- rows of ruth"]);
});

test("an invalid message throws an error with the position", () => {
  expect(() => compileMessage("broken {name, date")).toThrow("Message cannot be read");
});
