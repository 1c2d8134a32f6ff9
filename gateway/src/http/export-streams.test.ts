import { expect, test } from "vitest";
import { createExportStreams } from "./export-streams.ts";

async function* batches(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array([1]);
}

test("a user has one export at once, and others have theirs", { tags: ["FT-34"] }, async () => {
  const exported = createExportStreams();
  const first = exported(1, batches());
  expect(() => exported(1, batches())).toThrow(
    expect.objectContaining({ code: "log_export_running" }),
  );
  const others = [2, 3, 4, 5, 6, 7, 8].map((user) => exported(user, batches()));
  expect(() => exported(9, batches())).toThrow(
    expect.objectContaining({ code: "log_export_running" }),
  );
  // Ending twice gives one place.
  await first.cancel();
  await others[0]?.cancel();
  const next = exported(1, batches());
  expect(await new Response(next).bytes()).toEqual(new Uint8Array([1]));
  exported(1, batches());
  exported(9, batches());
  expect(() => exported(10, batches())).toThrow(
    expect.objectContaining({ code: "log_export_running" }),
  );
});
