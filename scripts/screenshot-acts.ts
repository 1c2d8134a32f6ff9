/** What a visitor does before a picture is taken. */
import type { Page } from "playwright-core";

/** `settled` is for pages whose content depends on nothing but their own requests. */
export function settled(page: Page): Promise<void> {
  return page.waitForLoadState("networkidle");
}

function hasText(page: Page, text: string): Promise<void> {
  return page.getByText(text).filter({ visible: true }).first().waitFor();
}

export function showing(...texts: string[]) {
  return async (page: Page): Promise<void> => {
    for (const text of texts) await hasText(page, text);
  };
}

export function pressed(button: string, ...shown: string[]) {
  return async (page: Page): Promise<void> => {
    await showing(...shown)(page);
    await page.getByRole("button", { name: button }).first().click();
    await page.getByRole("dialog").waitFor();
  };
}

/** Opens the edit form through the list, because only the list knows the id. */
export function opened(subject: string, field: string) {
  return async (page: Page): Promise<void> => {
    await hasText(page, subject);
    const row = page.getByRole("row").filter({ hasText: subject });
    await row.getByRole("link", { name: "Edit" }).first().click();
    await page.getByLabel(field).first().waitFor();
  };
}

/** Opens the form of a list whose rows are cards. */
export function editing(subject: string, field: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole("link", { name: `Edit ${subject}`, exact: true }).click();
    await page.getByLabel(field).first().waitFor();
  };
}

export async function askModel(page: Page): Promise<void> {
  await page.getByRole("combobox", { name: "Model" }).selectOption("gpt-5.4-mini");
  await page.getByRole("textbox", { name: "Message" }).fill("Why do toll gates have arms?");
  await page.getByRole("button", { name: "Send" }).click();
  await hasText(page, "Show trace");
}

export async function checkCall(page: Page): Promise<void> {
  await page.getByLabel("Model").first().fill("gpt-5.4-mini");
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await hasText(page, "OpenAI production");
}

/** Opens the trace of the call that first met the rate-limited channel. */
export async function openTraceOfRetry(page: Page): Promise<void> {
  await hasText(page, "Help centre");
  await page.getByRole("row").nth(5).getByRole("button").first().click();
  await hasText(page, "Trial account");
}
