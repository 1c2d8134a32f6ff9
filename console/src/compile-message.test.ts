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
  expect([compileMessage(sentence), compileMessage(sentence)]).toEqual([expected, expected]);
});

test("an invalid message throws an error with the position", () => {
  expect(() => compileMessage("broken {name, date")).toThrow("Message cannot be read");
});
