import { expect, test } from "vitest";
import { withoutMainCluster } from "./system-packages.ts";

test.each([
  ["", "create_main_cluster = false\n"],
  ["ssl = on\n", "ssl = on\ncreate_main_cluster = false\n"],
  ["create_main_cluster = true\nssl = on\n", "ssl = on\ncreate_main_cluster = false\n"],
  ["#create_main_cluster = true\n", "#create_main_cluster = true\ncreate_main_cluster = false\n"],
])("Debian is told to start no server: %j", (before, after) => {
  expect(withoutMainCluster(before)).toBe(after);
});
