import { expect, test } from "vitest";
import { formatForeignVariableNotes } from "./foreign-variables.ts";

test("a variable of another system that is set gets a sentence without its value", () => {
  const notes = formatForeignVariableNotes({
    SESSION_SECRET: "s3cret",
    RELAY_PROXY: "http://user:s3cret@proxy",
    LITELLM_LOG: "",
    PATH: "/usr/bin",
  });
  expect(notes).toEqual([
    "SESSION_SECRET is not read here; in its place: the database, where sessions are rows",
    "RELAY_PROXY is not read here; in its place: the outbound proxy of each channel",
  ]);
});
