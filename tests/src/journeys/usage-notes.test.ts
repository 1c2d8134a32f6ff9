import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatUsageNote } from "@tollgate/gateway/relay/formats/usage/reported-usage.ts";
import { expect, test } from "vitest";
import { repositoryDir } from "../harness/repository-dir.ts";

/** Read as text: its words are macros, which only the console's build knows. */
const known = readFileSync(
  join(repositoryDir, "console/src/components/failures/usage-notes.ts"),
  "utf8",
);

test.each([
  ...(["none_reported", "ended_early", "distrusted", "duration_unknown"] as const).map((reason) =>
    formatUsageNote({ reason, marks: [] }),
  ),
  ...(["usage_capped", "usage_far", "usage_corrected", "fee_unknown"] as const).map((mark) =>
    formatUsageNote({ marks: [mark] }),
  ),
])("the console has words for the note %j of a log row", (note) => {
  expect(known).toContain(`"${note}": msg`);
});
