import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { pageOfItems } from "./read-stored-response.ts";

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ role: "user", content: `${index}` }));
const contents = (page: ReturnType<typeof pageOfItems>) =>
  (page.data as { content: string }[]).map(({ content }) => Number(content));

describe("the input items of a stored response", () => {
  test("are complete and in order, whatever the size of a page", () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 60 }),
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        (count, limit, isAscending) => {
          const read: number[] = [];
          let after: string | undefined;
          for (let pages = 0; pages <= count; pages += 1) {
            const parameters = new URLSearchParams({
              limit: String(limit),
              order: isAscending ? "asc" : "desc",
            });
            if (after !== undefined) parameters.set("after", after);
            const page = pageOfItems(itemsOf(count), parameters);
            read.push(...contents(page));
            if (page.has_more !== true) break;
            after = page.last_id as string;
          }
          const all = Array.from({ length: count }, (_, index) => index);
          expect(read).toEqual(isAscending ? all : all.toReversed());
        },
      ),
    );
  });

  test("are the latest twenty by default, each with an id", () => {
    const page = pageOfItems(
      [...itemsOf(29), { id: "msg_1", content: "29" }],
      new URLSearchParams(),
    );
    expect(contents(page)).toEqual(Array.from({ length: 20 }, (_, index) => 29 - index));
    expect(page).toMatchObject({
      object: "list",
      first_id: "msg_1",
      last_id: "item_10",
      has_more: true,
    });
  });

  test.each(["limit=0", "limit=101", "limit=x", "limit=1.5", "after=item_7"])(
    "%s is refused",
    (query) => {
      expect(() => pageOfItems(itemsOf(3), new URLSearchParams(query))).toThrow(RelayRefused);
    },
  );
});
