import { expect, test } from "vitest";
import { stripMarkup } from "./unread-notice.ts";

test("a notice reads the same without its markup", () => {
  expect(
    stripMarkup(
      "**Friday:** calls to `gpt-oss` fail, see [status](https://x.test/a) & <b>ask</b>.",
    ),
  ).toBe("Friday: calls to gpt-oss fail, see status & ask.");
  expect(stripMarkup("# Closed\n- on Sunday")).toBe("Closed\non Sunday");
});
