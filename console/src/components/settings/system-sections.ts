import { msg } from "@lingui/core/macro";
import type { OptionSection } from "./option-sections.ts";

const address: OptionSection = {
  id: "address",
  title: msg`Address`,
  fields: [
    {
      key: "ServerAddress",
      kind: "line",
      label: msg`Server address`,
      help: msg`Links in mails begin with it. PUBLIC_URL, if set, takes precedence. Passkeys belong to the host of PUBLIC_URL and stop working with another host.`,
    },
  ],
};

const keys: OptionSection = {
  id: "keys",
  title: msg`API keys`,
  fields: [
    {
      key: "TokenKeyRevealEnabled",
      kind: "flag",
      label: msg`Reveal and copy API keys later`,
      help: msg`When off, a key is shown only once, when it is created.`,
    },
    {
      key: "TokenKeyProofEnabled",
      kind: "flag",
      label: msg`Ask for proof before a key is shown again`,
      help: msg`When on, lists hide keys. Owners see a key after a password, code or passkey, or within ten minutes of signing in.`,
    },
    {
      key: "AgentSettings",
      kind: "json",
      label: msg`Settings of Claude Code`,
      help: msg`Settings by group, or by * for all groups, which Claude Code takes from this gateway once people have signed in with it. They can run commands on people's machines.`,
    },
    {
      key: "AgentTelemetryEnabled",
      kind: "flag",
      label: msg`Pass on the telemetry of Claude Code`,
      help: msg`What Claude Code reports of itself goes to the collector of OTEL_EXPORTER_OTLP_ENDPOINT. When off, it is taken and dropped.`,
    },
  ],
};

const mail: OptionSection = {
  id: "mail",
  title: msg`Mail`,
  note: msg`Sends codes, password resets and reminders. SMTP_URL takes precedence where it is set.`,
  fields: [
    { key: "SMTPServer", kind: "line", label: msg`SMTP server` },
    {
      key: "SMTPPort",
      kind: "number",
      label: msg`SMTP port`,
      help: msg`Port 465 is encrypted from the start; others switch to encryption before the password is sent.`,
    },
    { key: "SMTPAccount", kind: "line", label: msg`SMTP account` },
    {
      key: "SMTPFrom",
      kind: "line",
      label: msg`Sender address`,
      help: msg`Leave empty to send as the account.`,
    },
    { key: "SMTPToken", kind: "secret", label: msg`SMTP password` },
  ],
};

const outgoing: OptionSection = {
  id: "outgoing",
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

/** The sections of the tab System, in their order. */
export const systemSections: readonly OptionSection[] = [address, keys, mail, outgoing];
