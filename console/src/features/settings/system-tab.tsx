import { msg } from "@lingui/core/macro";
import type { OptionSection } from "./option-sections.ts";
import { OptionTab } from "./option-tab.tsx";
import { TelemetryCard } from "./telemetry-card.tsx";

const address: OptionSection = {
  title: msg`Address`,
  fields: [
    {
      key: "ServerAddress",
      kind: "line",
      label: msg`Server address`,
      help: msg`The start of links in mails. PUBLIC_URL, if set, takes precedence. Passkeys belong to the host of PUBLIC_URL: with another host they are lost.`,
    },
  ],
};

const signIn: OptionSection = {
  title: msg`Sign-in and registration`,
  fields: [
    {
      key: "PasswordLoginEnabled",
      kind: "flag",
      label: msg`Sign in with a password`,
      help: msg`Super administrators always can.`,
    },
    {
      key: "RegisterEnabled",
      kind: "flag",
      label: msg`New accounts`,
      help: msg`Off, neither the form nor an external account makes a new one.`,
    },
    { key: "PasswordRegisterEnabled", kind: "flag", label: msg`Register with a password` },
    {
      key: "EmailVerificationEnabled",
      kind: "flag",
      label: msg`Verify mail addresses`,
      help: msg`Registering and changing an address need a code that is mailed there.`,
    },
    {
      key: "SecondFactorRequiredRole",
      kind: "number",
      label: msg`Role from which a second factor is required`,
      help: msg`0 for none, 1 for everyone, 10 for administrators, 100 for super administrators. Passkeys count; access tokens go on working.`,
    },
    {
      key: "ProofOfWorkBits",
      kind: "number",
      label: msg`Proof of work by strangers`,
      help: msg`Zero bits that a browser must find before it registers, has a mail sent, or signs in after failures. 0 asks for none; 16 take it a moment, each further bit twice as long.`,
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
  title: msg`Captcha`,
  note: msg`Visitors solve one before they register or have a mail sent, and to sign in after failures. Proof of work takes its place while the service does not answer. Where both are on, Turnstile is shown.`,
  fields: [
    { key: "TurnstileCheckEnabled", kind: "flag", label: msg`Ask visitors with Cloudflare Turnstile` },
    { key: "TurnstileSiteKey", kind: "line", label: msg`Turnstile site key` },
    { key: "TurnstileSecretKey", kind: "secret", label: msg`Turnstile secret key` },
    { key: "HCaptchaCheckEnabled", kind: "flag", label: msg`Ask visitors with hCaptcha` },
    { key: "HCaptchaSiteKey", kind: "line", label: msg`hCaptcha site key` },
    { key: "HCaptchaSecretKey", kind: "secret", label: msg`hCaptcha secret key` },
  ],
};

const keys: OptionSection = {
  title: msg`API keys`,
  fields: [
    {
      key: "TokenKeyRevealEnabled",
      kind: "flag",
      label: msg`Reveal and copy API keys later`,
      help: msg`Off, a key is shown once, when it is created.`,
    },
    {
      key: "TokenKeyProofEnabled",
      kind: "flag",
      label: msg`Ask who it is before a key is shown again`,
      help: msg`On, lists hide keys, and one is shown to its owner after the password, a code or a passkey. A sign-in of the last ten minutes is enough.`,
    },
  ],
};

const mail: OptionSection = {
  title: msg`Mail`,
  note: msg`Codes, password resets and reminders go out through it. SMTP_URL, where it is set, counts instead.`,
  fields: [
    { key: "SMTPServer", kind: "line", label: msg`SMTP server` },
    {
      key: "SMTPPort",
      kind: "number",
      label: msg`SMTP port`,
      help: msg`465 is encrypted from the start; others before the password is sent.`,
    },
    { key: "SMTPAccount", kind: "line", label: msg`SMTP account` },
    { key: "SMTPFrom", kind: "line", label: msg`Sender address`, help: msg`Empty sends as the account.` },
    { key: "SMTPToken", kind: "secret", label: msg`SMTP password` },
  ],
};

const github: OptionSection = {
  title: msg`GitHub`,
  note: msg`The callback address of the GitHub app is this server's /oauth/github.`,
  fields: [
    { key: "GitHubOAuthEnabled", kind: "flag", label: msg`Sign in with GitHub` },
    { key: "GitHubClientId", kind: "line", label: msg`GitHub client ID` },
    { key: "GitHubClientSecret", kind: "secret", label: msg`GitHub client secret` },
  ],
};

const lark: OptionSection = {
  title: msg`Lark`,
  note: msg`On while the app ID is filled in. The callback address is this server's /oauth/lark.`,
  fields: [
    { key: "LarkClientId", kind: "line", label: msg`Lark app ID` },
    { key: "LarkClientSecret", kind: "secret", label: msg`Lark app secret` },
  ],
};

const discord: OptionSection = {
  title: msg`Discord`,
  note: msg`The callback address of the Discord app is this server's /oauth/discord. Needs the server address.`,
  fields: [
    { key: "DiscordOAuthEnabled", kind: "flag", label: msg`Sign in with Discord` },
    { key: "DiscordClientId", kind: "line", label: msg`Discord client ID` },
    { key: "DiscordClientSecret", kind: "secret", label: msg`Discord client secret` },
  ],
};

const linuxdo: OptionSection = {
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
      help: msg`From 0 to 4. 0 admits all.`,
    },
  ],
};

const telegram: OptionSection = {
  title: msg`Telegram`,
  note: msg`The domain of the bot, which BotFather asks for, is that of this server. Needs the server address.`,
  fields: [
    { key: "TelegramOAuthEnabled", kind: "flag", label: msg`Sign in with Telegram` },
    { key: "TelegramBotToken", kind: "secret", label: msg`Token of the bot` },
  ],
};

const wechat: OptionSection = {
  title: msg`WeChat`,
  note: msg`Followers of an official account get a code from a server that the operator runs (wechat-server) and type it here.`,
  fields: [
    { key: "WeChatAuthEnabled", kind: "flag", label: msg`Sign in with WeChat` },
    {
      key: "WeChatServerAddress",
      kind: "line",
      label: msg`Address of the code server`,
      help: msg`A private address must be named in UPSTREAM_PRIVATE_HOSTS.`,
    },
    { key: "WeChatServerToken", kind: "secret", label: msg`Token of the code server` },
    { key: "WeChatAccountQRCodeImageURL", kind: "line", label: msg`Picture of the QR code` },
  ],
};

const proxySignIn: OptionSection = {
  title: msg`Sign-in by the reverse proxy`,
  note: msg`The proxy names people and their groups in headers. Which ones count, and from whom, is set with TRUSTED_SIGN_IN_HEADER where the gateway starts.`,
  fields: [
    {
      key: "TrustedSignInRules",
      kind: "json",
      label: msg`Rules for groups`,
      help: msg`A list of objects with claim (groups), value (the group there), role (10, 1 or null) and group (a price group or empty). What they gave is taken away when they no longer match.`,
    },
  ],
};

const outgoing: OptionSection = {
  title: msg`Outbound proxy`,
  note: msg`Calls to providers and to sign-in services go through it. Private hosts that the operator allows are called directly.`,
  fields: [
    {
      key: "OutboundProxySecret",
      kind: "secret",
      label: msg`Address of the proxy`,
      help: msg`http://, https:// or socks5://, then user:password@host:port. It is sealed and never shown.`,
    },
  ],
};

export const SystemTab = () => (
  <OptionTab
    left={[address, signIn, keys, github, discord, telegram]}
    leftEnd={<TelemetryCard />}
    right={[mail, captcha, lark, linuxdo, wechat, proxySignIn, outgoing]}
  />
);
