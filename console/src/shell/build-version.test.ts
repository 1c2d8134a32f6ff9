import { expect, test } from "vitest";
import { chooseVersion } from "./build-version.ts";

test("a build without a version is 1.0.0, and any other shows its own", () => {
  expect(chooseVersion(undefined)).toBe("1.0.0");
  expect(chooseVersion("0.1.0")).toBe("0.1.0");
});
