import { msg } from "@lingui/core/macro";
import type { OptionSection } from "./option-sections.ts";

const signIn: OptionSection = {
  id: "sign-in",
  title: msg`Sign-in and registration`,
  fields: [
    {
      key: "PasswordLoginEnabled",
      kind: "flag",
      label: msg`Sign in with a password`,
      help: msg`Super administrators always can.`,
      warning: (isOn) =>
        isOn === true
          ? undefined
          : msg`Everyone but super administrators needs another way to sign in: without one they are locked out.`,
    },
    {
      key: "RegisterEnabled",
      kind: "flag",
      label: msg`New accounts`,
      help: msg`When off, accounts are created by administrators alone: neither the form nor an external sign-in makes one.`,
      warning: (isOn) =>
        isOn === true ? msg`Anyone can create an account on this site.` : undefined,
    },
    { key: "PasswordRegisterEnabled", kind: "flag", label: msg`Register with a password` },
    {
      key: "InvitesMayRegister",
      kind: "flag",
      label: msg`Invitations into teams open registration`,
      help: msg`Where registration is off, whoever has the link of an invitation registers with it, once.`,
    },
    {
      key: "EmailVerificationEnabled",
      kind: "flag",
      label: msg`Verify mail addresses`,
      help: msg`New and changed addresses are confirmed with a mailed code.`,
    },
    {
      key: "SecondFactorRequiredRole",
      kind: "choice",
      label: msg`Require a second factor`,
      help: msg`A passkey counts as one. Access tokens keep working.`,
      choices: [
        { value: "0", label: msg`From no one` },
        { value: "100", label: msg`From super administrators` },
        { value: "10", label: msg`From administrators` },
        { value: "1", label: msg`From everyone` },
      ],
      warning: (value) =>
        value === "0"
          ? undefined
          : msg`Everyone in this role without a second factor must set one up before they can continue. That includes you.`,
    },
    {
      key: "ProofOfWorkBits",
      kind: "number",
      label: msg`Proof of work for visitors`,
      help: msg`Work for the browser before it registers, requests a mail or retries a sign-in. 0: none. 16: a moment; each step doubles it.`,
    },
    {
      key: "EmailDomainRestrictionEnabled",
      kind: "flag",
      label: msg`Only certain mail domains`,
      help: msg`Addresses elsewhere cannot register.`,
    },
    {
      key: "EmailDomainWhitelist",
      kind: "names",
      label: msg`Mail domains`,
      help: msg`Separated by commas.`,
    },
  ],
};

const captcha: OptionSection = {
  id: "captcha",
  title: msg`Captcha`,
  note: msg`Visitors solve one before they register or have a mail sent, and to sign in after failures. Proof of work takes its place while the service does not answer. Where both are on, Turnstile is shown.`,
  fields: [
    {
      key: "TurnstileCheckEnabled",
      kind: "flag",
      label: msg`Ask visitors with Cloudflare Turnstile`,
    },
    { key: "TurnstileSiteKey", kind: "line", label: msg`Turnstile site key` },
    { key: "TurnstileSecretKey", kind: "secret", label: msg`Turnstile secret key` },
    { key: "HCaptchaCheckEnabled", kind: "flag", label: msg`Ask visitors with hCaptcha` },
    { key: "HCaptchaSiteKey", kind: "line", label: msg`hCaptcha site key` },
    { key: "HCaptchaSecretKey", kind: "secret", label: msg`hCaptcha secret key` },
  ],
};

const github: OptionSection = {
  id: "github",
  title: msg`GitHub`,
  note: msg`The callback address of the GitHub app is this server's /oauth/github.`,
  fields: [
    { key: "GitHubOAuthEnabled", kind: "flag", label: msg`Sign in with GitHub` },
    { key: "GitHubClientId", kind: "line", label: msg`GitHub client ID` },
    { key: "GitHubClientSecret", kind: "secret", label: msg`GitHub client secret` },
  ],
};

const lark: OptionSection = {
  id: "lark",
  title: msg`Lark`,
  note: msg`Active while the app ID is set. The callback address is this server's /oauth/lark.`,
  fields: [
    { key: "LarkClientId", kind: "line", label: msg`Lark app ID` },
    { key: "LarkClientSecret", kind: "secret", label: msg`Lark app secret` },
  ],
};

const discord: OptionSection = {
  id: "discord",
  title: msg`Discord`,
  note: msg`The callback address of the Discord app is this server's /oauth/discord. Needs the server address.`,
  fields: [
    { key: "DiscordOAuthEnabled", kind: "flag", label: msg`Sign in with Discord` },
    { key: "DiscordClientId", kind: "line", label: msg`Discord client ID` },
    { key: "DiscordClientSecret", kind: "secret", label: msg`Discord client secret` },
  ],
};

const linuxdo: OptionSection = {
  id: "linuxdo",
  title: msg`LinuxDO`,
  note: msg`The callback address of the LinuxDO app is this server's /oauth/linuxdo. Needs the server address.`,
  fields: [
    { key: "LinuxDOOAuthEnabled", kind: "flag", label: msg`Sign in with LinuxDO` },
    { key: "LinuxDOClientId", kind: "line", label: msg`LinuxDO client ID` },
    { key: "LinuxDOClientSecret", kind: "secret", label: msg`LinuxDO client secret` },
    {
      key: "LinuxDOMinimumTrustLevel",
      kind: "number",
      label: msg`Lowest LinuxDO trust level that signs in`,
      help: msg`From 0 to 4. 0 admits everyone.`,
    },
  ],
};

const telegram: OptionSection = {
  id: "telegram",
  title: msg`Telegram`,
  note: msg`The domain of the bot, which BotFather asks for, is that of this server. Needs the server address.`,
  fields: [
    { key: "TelegramOAuthEnabled", kind: "flag", label: msg`Sign in with Telegram` },
    { key: "TelegramBotToken", kind: "secret", label: msg`Bot token` },
  ],
};

const wechat: OptionSection = {
  id: "wechat",
  title: msg`WeChat`,
  note: msg`Followers of an official account get a code from a server that the operator runs (wechat-server) and type it here.`,
  fields: [
    { key: "WeChatAuthEnabled", kind: "flag", label: msg`Sign in with WeChat` },
    {
      key: "WeChatServerAddress",
      kind: "line",
      label: msg`Code server address`,
      help: msg`A private address must be named in UPSTREAM_PRIVATE_HOSTS.`,
    },
    { key: "WeChatServerToken", kind: "secret", label: msg`Code server token` },
    { key: "WeChatAccountQRCodeImageURL", kind: "line", label: msg`Picture of the QR code` },
  ],
};

const proxySignIn: OptionSection = {
  id: "proxy-sign-in",
  title: msg`Sign-in by the reverse proxy`,
  note: msg`The proxy names people and their groups in headers. TRUSTED_SIGN_IN_HEADER, set where the gateway starts, says which headers count and from whom.`,
  fields: [
    {
      key: "TrustedSignInRules",
      kind: "json",
      label: msg`Rules for groups`,
      help: msg`A list of objects with claim (groups), value (the group there), role (10, 1 or null) and group (a price group or empty); team, team_role and team_budget (amount, window) may follow. A person who no longer matches loses what the rule gave.`,
    },
  ],
};

/**
 * `signInSections` are who gets in, and by which way, in one place: the sections of the tab Sign-in
 * below the identity providers.
 */
export const signInSections: readonly OptionSection[] = [
  signIn,
  captcha,
  github,
  lark,
  discord,
  linuxdo,
  telegram,
  wechat,
  proxySignIn,
];
