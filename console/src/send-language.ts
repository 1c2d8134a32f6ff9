import { i18n } from "@lingui/core";
import { setLanguage } from "@tollgate/contract/accounts/accounts.ts";
import { isLanguageCode } from "@tollgate/contract/site/languages.ts";
import { call } from "./api-call.ts";
import { getSession, hasFeature } from "./session.ts";

/**
 * Tells the gateway which language the user reads, for its mails. Servers without such mails are
 * not told.
 */
export async function sendLanguage(): Promise<void> {
  const { user, status } = getSession();
  const language = i18n.locale;
  if (user === null || !hasFeature(status, "mail_language") || !isLanguageCode(language)) return;
  try {
    await call(setLanguage, { body: { language } });
  } catch (error) {
    // The page has the language already; mails keep the one before until the next sign-in.
    console.error("The language of mails could not be set", error);
  }
}
