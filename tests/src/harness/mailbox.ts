// A mail server that keeps what it is given, for tests to read as a person would.
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { eventually } from "./eventually.ts";

export interface ReceivedMail {
  to: string[];
  from: string;
  /** As it came, headers and all. */
  raw: string;
  subject: string;
  text: string;
}

export interface MailboxOptions {
  /** The only account that may send; without it every client may. */
  account?: { user: string; pass: string };
  /** Answers this many mails with "try again later". */
  failures?: number;
}

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

export async function startMailbox({ account, failures = 0 }: MailboxOptions = {}) {
  const mails: ReceivedMail[] = [];
  let toFail = failures;
  const server = new SMTPServer({
    // Without a certificate that a client would trust.
    disabledCommands: account ? ["STARTTLS"] : ["STARTTLS", "AUTH"],
    authOptional: account === undefined,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      username === account?.user && password === account?.pass
        ? done(null, { user: username })
        : done(new Error("who is that")),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (toFail > 0) {
          toFail -= 1;
          done(Object.assign(new Error("come back later"), { responseCode: 451 }));
          return;
        }
        const raw = Buffer.concat(chunks).toString("utf8");
        const to = envelope.rcptTo.map(({ address }) => address);
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        mails.push({ to, from, raw, ...read(raw) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  const find = (to: string, subject: string) =>
    mails.find((mail) => mail.to.includes(to) && mail.subject.startsWith(subject));

  return {
    port,
    url: `smtp://127.0.0.1:${port}?from=${encodeURIComponent("Tollgate <tollgate@example.org>")}`,
    mails,
    /** The mail to this address with such a subject; it leaves the box. */
    async take(to: string, subject: string): Promise<ReceivedMail> {
      const mail = await eventually(() => {
        const found = find(to, subject);
        if (!found) throw new Error(`no mail "${subject}" to ${to} among ${mails.length}`);
        return found;
      });
      mails.splice(mails.indexOf(mail), 1);
      return mail;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export const codeIn = ({ text }: ReceivedMail): string => /^\d{6}$/m.exec(text)?.[0] ?? "";
export const linkIn = ({ text }: ReceivedMail): URL =>
  new URL(/^https?:\S+$/m.exec(text)?.[0] ?? "");

function read(raw: string): { subject: string; text: string } {
  const [head = ""] = raw.split("\r\n\r\n");
  const unfolded = head.replace(/\r\n[ \t]+/g, " ");
  const subject = decodeWords(/^Subject: (.*)$/im.exec(unfolded)?.[1] ?? "");
  const part = raw.split(/\r\n--/).find((piece) => /content-type: text\/plain/i.test(piece)) ?? raw;
  const [partHead = "", ...body] = part.split("\r\n\r\n");
  const written = body.join("\r\n\r\n");
  return { subject, text: decodeBody(partHead, written).replaceAll("\r\n", "\n") };
}

function decodeBody(partHead: string, written: string): string {
  if (/quoted-printable/i.test(partHead)) return decodeQuotedPrintable(written);
  return /encoding: base64/i.test(partHead)
    ? Buffer.from(written, "base64").toString("utf8")
    : written;
}

/**
 * Header fields carry letters beyond ASCII as encoded words (RFC 2047); the space between two of
 * them is none.
 */
function decodeWords(field: string): string {
  const word = /=\?utf-8\?([QB])\?([^?]*)\?=/gi;
  return field
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(word, (_, form: string, content: string) =>
      form.toUpperCase() === "B"
        ? Buffer.from(content, "base64").toString("utf8")
        : decodeQuotedPrintable(content.replaceAll("_", " ")),
    );
}

function decodeQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
