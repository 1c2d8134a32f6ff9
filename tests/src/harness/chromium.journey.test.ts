import { expect, test } from "vitest";
import { launchBrowser } from "./chromium.ts";

test("the browser runs a page", async () => {
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.setContent(
    "<h1></h1><script>document.querySelector('h1').textContent = 'alive'</script>",
  );
  expect(await page.textContent("h1")).toBe("alive");
  await browser.close();
});
