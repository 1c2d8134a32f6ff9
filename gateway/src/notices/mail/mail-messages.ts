/**
 * Every mail that the gateway sends, as text and as simple HTML, in the reader's language. Pure.
 */
import type { TakenAction } from "@tollgate/contract/accounts/all-tokens.ts";
import { invitationDays } from "@tollgate/contract/accounts/team-invitations.ts";
import { isLanguageCode, type LanguageCode } from "@tollgate/contract/site/languages.ts";
import type { RootNotice } from "./root-notice.ts";
import type { MailTexts, MailWords } from "./texts/mail-texts.ts";
import { mailTextsDe } from "./texts/mail-texts-de.ts";
import { mailTextsEn } from "./texts/mail-texts-en.ts";
import { mailTextsEs } from "./texts/mail-texts-es.ts";
import { mailTextsFr } from "./texts/mail-texts-fr.ts";
import { mailTextsJa } from "./texts/mail-texts-ja.ts";
import { mailTextsZh } from "./texts/mail-texts-zh.ts";
import { translateReason } from "./texts/reason-texts.ts";

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** `MailReader` has the address of a mail, and the language in which it is written there. */
export interface MailReader {
  to: string;
  language: LanguageCode;
}

export interface MailSite {
  name: string;
  /** Public address of this server without a trailing slash; empty when it is not configured. */
  address: string;
}

/** Set apart from the text: a code to type or a link to follow. */
interface MailHighlight {
  code?: string;
  link?: string;
}

const texts: Readonly<Record<LanguageCode, MailTexts>> = {
  en: mailTextsEn,
  de: mailTextsDe,
  es: mailTextsEs,
  fr: mailTextsFr,
  ja: mailTextsJa,
  "zh-CN": mailTextsZh,
};

/** The language of mails to an account, from its column: English until the console has sent one. */
export const mailLanguage = (stored: string): LanguageCode =>
  isLanguageCode(stored) ? stored : "en";

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`);

/** Header fields are one line, whatever a name contains. */
const flattenLine = (text: string) => text.replace(/\p{Cc}+/gu, " ").trim();

function composeMessage(
  { to, language }: MailReader,
  site: MailSite,
  { subject, before, after = [] }: MailWords,
  { code, link }: MailHighlight = {},
): MailMessage {
  const highlighted = [code, link].filter((part) => part !== undefined);
  const lines = [...before, ...highlighted, ...after, `— ${site.name}`];
  const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
  const html = [
    ...before.map(paragraph),
    ...(code === undefined
      ? []
      : [`<p style="font:600 28px monospace;letter-spacing:4px">${escapeHtml(code)}</p>`]),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`]),
    ...after.map(paragraph),
    `<p style="color:#666">— ${escapeHtml(site.name)}</p>`,
  ];
  return {
    to,
    subject: flattenLine(`${subject} - ${site.name}`),
    text: `${lines.map(flattenLine).join("\n\n")}\n`,
    html: `<!doctype html><html lang="${language}"><body style="font:15px/1.5 sans-serif">${html.join("")}</body></html>`,
  };
}

/** A link to a page of this server; none while its address is not configured. */
const buildLink = (site: MailSite, path: string): MailHighlight =>
  site.address === "" ? {} : { link: `${site.address}${path}` };

export const composeVerificationMail = (
  reader: MailReader,
  site: MailSite,
  code: string,
): MailMessage => composeMessage(reader, site, texts[reader.language].verification, { code });

/**
 * `composeAlreadyRegisteredMail` is for a verification code that was requested for an address with
 * an account: only the mailbox learns that the account exists.
 */
export const composeAlreadyRegisteredMail = (reader: MailReader, site: MailSite): MailMessage =>
  composeMessage(reader, site, texts[reader.language].alreadyRegistered, buildLink(site, "/login"));

export function composePasswordResetMail(
  reader: MailReader,
  site: MailSite,
  token: string,
): MailMessage {
  const query = new URLSearchParams({ email: reader.to, token });
  const link = `${site.address}/user/reset?${query}`;
  return composeMessage(reader, site, texts[reader.language].passwordReset, { link });
}

/** Passkeys stay, so their owner reads which: one of a thief would outlive the password. */
export const composePasswordChangedMail = (
  reader: MailReader,
  site: MailSite,
  { isByLink, passkeys }: { isByLink: boolean; passkeys: readonly { name: string }[] },
): MailMessage => {
  const names = passkeys.map(({ name }) => `“${name}”`).join(", ");
  return composeMessage(
    reader,
    site,
    texts[reader.language].passwordChanged({ isByLink, passkeys: names }),
    buildLink(site, "/users/edit"),
  );
};

export const composeAddressChangedMail = (reader: MailReader, site: MailSite): MailMessage =>
  composeMessage(reader, site, texts[reader.language].addressChanged);

export const composePasskeyCopiedMail = (
  reader: MailReader,
  site: MailSite,
  passkey: { name: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].passkeyCopied(passkey),
    buildLink(site, "/users/edit"),
  );

export const composeProviderLinkMail = (
  reader: MailReader,
  site: MailSite,
  { code, ...link }: { provider: string; username: string; code: string },
): MailMessage => composeMessage(reader, site, texts[reader.language].providerLink(link), { code });

export const composeProviderLinkedMail = (
  reader: MailReader,
  site: MailSite,
  link: { provider: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].providerLinked(link),
    buildLink(site, "/settings"),
  );

export const composeLowBalanceMail = (
  reader: MailReader,
  site: MailSite,
  account: { username: string; left: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].lowBalance(localizeFacts(reader.language, account)),
    buildLink(site, "/topup"),
  );

/** Only who reads this mail has the link. */
export const composeInvitationMail = (
  reader: MailReader,
  site: MailSite,
  { code, ...invitation }: { team: string; inviter: string; code: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].teamInvitation({ ...invitation, days: invitationDays }),
    {
      ...buildLink(site, `/invitation#${code}`),
    },
  );

/** An administrator disabled or paused a key, or gave the token a new one. */
export function composeTokenTakenMail(
  reader: MailReader,
  site: MailSite,
  { name, action }: { name: string; action: TakenAction },
): MailMessage {
  const { tokenDisabled, tokenPaused, tokenReplaced } = texts[reader.language];
  const words = { disabled: tokenDisabled, paused: tokenPaused, replaced: tokenReplaced }[action];
  return composeMessage(reader, site, words({ name }), buildLink(site, "/tokens"));
}

/** A budget was used up and paused the keys that it limits. */
export const composeKeysPausedMail = (
  reader: MailReader,
  site: MailSite,
  paused: { budget: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].keysPaused(paused),
    buildLink(site, "/tokens"),
  );

/** A member of a team asks its admins for more of a budget in its present window. */
export const composeBudgetAskedMail = (
  reader: MailReader,
  site: MailSite,
  { amount, ...asked }: { budget: string; username: string; amount: string; reason: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].budgetAsked({ ...asked, ...localizeFacts(reader.language, { amount }) }),
    buildLink(site, "/teams"),
  );

/** `granted` is null for a request that was declined. */
export const composeBudgetAnsweredMail = (
  reader: MailReader,
  site: MailSite,
  { budget, granted }: { budget: string; granted: string | null },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].budgetAnswered(
      granted === null
        ? { budget, granted }
        : { budget, ...localizeFacts(reader.language, { granted }) },
    ),
  );

export const composeKeyPausedBySpikeMail = (
  reader: MailReader,
  site: MailSite,
  paused: { key: string; spent: string; usual: string },
): MailMessage =>
  composeMessage(
    reader,
    site,
    texts[reader.language].keyPausedBySpike(localizeFacts(reader.language, paused)),
    buildLink(site, "/tokens"),
  );

/**
 * The owner gave a token a new key. `until` is the moment from which the old one is refused; null
 * where that is now.
 */
export function composeTokenRotatedMail(
  reader: MailReader,
  site: MailSite,
  { name, until }: { name: string; until: number | null },
): MailMessage {
  const end =
    until === null ? null : `${new Date(until).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return composeMessage(
    reader,
    site,
    texts[reader.language].tokenRotated({ name, end }),
    buildLink(site, "/tokens"),
  );
}

/**
 * Words of a notice of an alert, as `composeAlertWords` composed them, with a link to where
 * operators can do something about it.
 */
export const composeNoticeMail = (
  reader: MailReader,
  site: MailSite,
  words: MailWords,
  link: string,
): MailMessage => composeMessage(reader, site, words, link === "" ? {} : { link });

/** The sentence of a notice for logs, which are in English. */
export const formatNoticeText = (notice: RootNotice): string =>
  composeNoticeWords("en", notice).before.join(" ");

export const chooseMailTexts = (language: LanguageCode): MailTexts => texts[language];

export function composeNoticeWords<Kind extends RootNotice["kind"]>(
  language: LanguageCode,
  notice: Extract<RootNotice, { kind: Kind }>,
): MailWords {
  return texts[language].notices[notice.kind as Kind](localizeFacts(language, notice));
}

/** `amountFacts` are facts of mails that hold amounts in dollars, as texts. */
const amountFacts: ReadonlySet<string> = new Set([
  "amount",
  "dollars",
  "granted",
  "left",
  "ours",
  "spent",
  "theirs",
  "threshold",
  "usual",
]);

/** Facts as their reader writes them: reasons of ours, and points of amounts. */
function localizeFacts<Facts extends object>(language: LanguageCode, facts: Facts): Facts {
  const told = Object.entries(facts).map(([name, fact]): [string, unknown] => {
    if (typeof fact !== "string") return [name, fact];
    if (amountFacts.has(name)) return [name, localizeAmount(language, fact)];
    return [name, name === "reason" ? translateReason(language, fact) : fact];
  });
  return Object.fromEntries(told) as Facts;
}

/** `$1234.500000` is `$1.234,50` in German; an amount without a currency stays. */
function localizeAmount(language: LanguageCode, amount: string): string {
  const [, sign, number] = /^(-?)\$(\d+(?:\.\d+)?)$/.exec(amount) ?? [];
  if (number === undefined) return amount;
  const format = new Intl.NumberFormat(language, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });
  return `${sign}$${format.format(Number(number))}`;
}
