import { expect, test } from "vitest";
import { chooseFiles } from "./left-out-tests.ts";

test("the files of a second try take the place of a share and of other files, and no option goes", () => {
  const tests = [
    ...["--tagsFilter=!variant", "--project", "api", "--exclude", "tests/slow.api.test.ts"],
    ...["--shard=2/3", "tests/other.api.test.ts"],
  ];
  expect(chooseFiles(tests, ["tests/a.api.test.ts"])).toEqual([
    ...["--tagsFilter=!variant", "--project", "api", "--exclude", "tests/slow.api.test.ts"],
    "tests/a.api.test.ts",
  ]);
});
