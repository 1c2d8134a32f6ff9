import { parseCall } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import { readPriceBook } from "../../money/prices/price-book.ts";
import { ocr } from "./ocr.ts";
import { unlimited } from "./usage/reported-usage.ts";

const model = "mistral-ocr-4-1";
const document = { type: "document_url", document_url: "https://example.com/a.pdf" };
const rates = readPriceBook().get(model)?.rates;
const annotation = { document_annotation_format: { type: "json_schema" } };

/** `chargedFor` gives what is charged for this reply to this request. */
function chargedFor(asked: object, reply?: object) {
  if (!rates) throw new Error("the model has no price");
  const call = parseCall(ocr, { model, ...asked });
  const reported = reply && ocr.upstream.readReply({ ...reply })?.usage;
  return ocr.upstream.usageFor?.(call, reported, { textBytes: 0, images: 0 }, rates, unlimited);
}

describe("recognized text", () => {
  test("is held for by the pages that the request can have read", { tags: ["S2-02"] }, () => {
    const heldFor = (asked: object) => parseCall(ocr, { model, ...asked }).extras;
    expect(heldFor({ document })).toEqual({ pages: 1_000 });
    expect(heldFor({ document, pages: [0, 3] })).toEqual({ pages: 2 });
    expect(heldFor({ document, pages: "0-4, 7" })).toEqual({ pages: 6 });
    expect(heldFor({ document, pages: "all" })).toEqual({ pages: 1_000 });
    expect(
      heldFor({ document: { type: "image_url", image_url: "https://example.com/a.png" } }),
    ).toEqual({ pages: 1 });
    expect(heldFor({ file: "https://example.com/a.pdf" })).toEqual({ pages: 1_000 });
    expect(heldFor({ document, pages: [0], ...annotation })).toEqual({ annotated_pages: 1 });
  });

  test("costs the pages that the provider counted, and more with annotations", {
    tags: ["S2-02"],
  }, () => {
    const reply = {
      pages: [{ index: 0, markdown: "# Hi" }],
      usage_info: { pages_processed: 3, doc_size_bytes: 9 },
    };
    expect(chargedFor({ document }, reply)).toMatchObject({ usage: { pages: 3 }, marks: [] });
    const annotated = chargedFor({ document, ...annotation }, reply);
    expect(annotated?.usage).toMatchObject({ annotated_pages: 3 });
    expect(annotated?.usage).not.toHaveProperty("pages");
    expect(rates).toMatchObject({ pages: 4_000_000_000n, annotated_pages: 5_000_000_000n });
  });

  test("costs the pages that came where the provider counted none", { tags: ["S2-02"] }, () => {
    expect(chargedFor({ document }, { pages: [{}, {}] })?.usage).toMatchObject({ pages: 2 });
  });

  test("costs a page where the answer was lost, or those that were asked for", {
    tags: ["S2-02"],
  }, () => {
    expect(chargedFor({ document })).toMatchObject({
      usage: { pages: 1 },
      reason: "none_reported",
    });
    expect(chargedFor({ document, pages: [0, 1, 2] })).toMatchObject({ usage: { pages: 3 } });
  });

  test("of Zhipu costs tokens", { tags: ["S2-02"] }, () => {
    const reply = {
      md_results: "# Hi",
      usage: { prompt_tokens: 900, completion_tokens: 90, total_tokens: 990 },
    };
    expect(chargedFor({ file: "https://example.com/a.pdf" }, reply)?.usage).toMatchObject({
      input: 900,
      output: 90,
    });
  });

  test("needs a document", () => {
    expect(() => parseCall(ocr, { model })).toThrow(/document/);
    expect(ocr.upstream.readReply({ text: "no pages" })).toBeUndefined();
  });
});
