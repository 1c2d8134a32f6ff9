/** Every mail that the gateway sends, as text and as simple HTML. Pure. */

export interface MailMessage {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface MailSite {
  name: string;
  /** Public address of this server without a trailing slash; empty when it is not configured. */
  address: string;
}

interface MailContent {
  subject: string;
  before: string[];
  /** Set apart from the text: a code to type or a link to follow. */
  code?: string;
  link?: string;
  after?: string[];
}

const minutesText = "10 minutes";

const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.codePointAt(0)};`);

/** Header fields are one line, whatever a name contains. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, " ").trim();

function composeMessage(
  to: string,
  site: MailSite,
  { subject, before, code, link, after = [] }: MailContent,
): MailMessage {
  const highlighted = [code, link].filter((part) => part !== undefined);
  const lines = [...before, ...highlighted, ...after, `— ${site.name}`];
  const paragraph = (text: string) => `<p>${escaped(text)}</p>`;
  const html = [
    ...before.map(paragraph),
    ...(code === undefined ? [] : [`<p style="font:600 28px monospace;letter-spacing:4px">${escaped(code)}</p>`]),
    ...(link === undefined ? [] : [`<p><a href="${escaped(link)}">${escaped(link)}</a></p>`]),
    ...after.map(paragraph),
    `<p style="color:#666">— ${escaped(site.name)}</p>`,
  ];
  return {
    to,
    subject: oneLine(`${subject} - ${site.name}`),
    text: `${lines.map(oneLine).join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body style="font:15px/1.5 sans-serif">${html.join("")}</body></html>`,
  };
}

export const verificationMail = (to: string, site: MailSite, code: string): MailMessage =>
  composeMessage(to, site, {
    subject: "Your verification code",
    before: ["Your verification code is:"],
    code,
    after: [`It works once and for ${minutesText}. If you did not ask for it, you can ignore this mail.`],
  });

/**
 * For a verification code that was requested for an address with an account: only the mailbox learns that the account
 * exists.
 */
export const alreadyRegisteredMail = (to: string, site: MailSite): MailMessage =>
  composeMessage(to, site, {
    subject: "You already have an account",
    before: [
      "A verification code was requested for this address, which already belongs to an account.",
      "Sign in with that account, or reset its password. If it was not you, you can ignore this mail.",
    ],
    ...(site.address !== "" && { link: `${site.address}/login` }),
  });

export function passwordResetMail(to: string, site: MailSite, token: string): MailMessage {
  const query = new URLSearchParams({ email: to, token });
  return composeMessage(to, site, {
    subject: "Reset your password",
    before: ["Follow this link to choose a new password:"],
    link: `${site.address}/user/reset?${query}`,
    after: [
      `It works once and for ${minutesText}. If you did not ask for it, you can ignore this mail: nothing has changed.`,
    ],
  });
}

export const passwordChangedMail = (to: string, site: MailSite): MailMessage =>
  composeMessage(to, site, {
    subject: "Your password was changed",
    before: [
      "The password of your account was changed through a mailed link, and all its sessions were signed out.",
      "If it was not you, ask the operator of this server for help at once.",
    ],
  });

export const addressChangedMail = (to: string, site: MailSite): MailMessage =>
  composeMessage(to, site, {
    subject: "Your mail address was changed",
    before: [
      "Your account has another mail address now, and this one no longer belongs to it.",
      "If it was not you, change your password and ask the operator of this server for help at once.",
    ],
  });

export const lowBalanceMail = (to: string, site: MailSite, { username, left }: { username: string; left: string }) =>
  composeMessage(to, site, {
    subject: "Your balance is low",
    before: [
      `The balance of the account ${username} is down to ${left}.`,
      "When it is used up, calls with its tokens are refused.",
    ],
    ...(site.address !== "" && { link: `${site.address}/topup` }),
  });

export const noticeMail = (
  to: string,
  site: MailSite,
  { subject, text, path = "/channels" }: { subject: string; text: string; path?: string },
): MailMessage =>
  composeMessage(to, site, {
    subject,
    before: [text],
    ...(site.address !== "" && { link: `${site.address}${path}` }),
  });
