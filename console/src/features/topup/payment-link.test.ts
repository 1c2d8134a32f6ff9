import { expect, test } from "vitest";
import { composePaymentLink } from "./payment-link.ts";

test.each([
  [undefined, undefined],
  ["", undefined],
  ["pay.example", undefined],
  ["/buy", undefined],
  ["javascript:alert(1)", undefined],
  ["data:text/html,<script>1</script>", undefined],
  ["https://pay.example/buy?plan=a", "https://pay.example/buy?plan=a"],
  ["http://pay.example", "http://pay.example/"],
])("the link %j leads to %j", { tags: ["F-92"] }, (link, address) => {
  expect(composePaymentLink(link)).toBe(address);
});
