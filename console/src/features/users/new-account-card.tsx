import { Trans, useLingui } from "@lingui/react/macro";
import { Mail } from "lucide-react";
import { formatSystemName, useSession } from "../../session.ts";
import { readSiteAddress } from "../../site-path.ts";
import { Button, buttonStyle } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { HandedAccount } from "./handed-account.ts";

/** `NewAccountCard` shows once what the new user needs, to be copied or mailed. */
export function NewAccountCard({
  username,
  password,
  email,
  onDone,
}: HandedAccount & { onDone: () => void }) {
  const { t } = useLingui();
  const { status } = useSession();
  const address = `${readSiteAddress()}/login`;
  const name = formatSystemName(status);
  // A draft is kept by mail programs, and its address by the browser: the password travels another
  // way.
  const draft = [
    t`Your account at ${name}`,
    `${t`Address`}: ${address}`,
    `${t`Username`}: ${username}`,
  ].join("\n");
  const message = `${draft}\n${t`Password`}: ${password}`;
  const mail = `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(t`Your account at ${name}`)}&body=${encodeURIComponent(draft)}`;
  return (
    <Card
      title={<Trans>Hand over the account</Trans>}
      note={<Trans>The password is shown only here. Copy or send it before you leave.</Trans>}
      action={
        <Button size="sm" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1">
        <dt className="text-muted">{t`Address`}</dt>
        <dd className="[overflow-wrap:anywhere]">{address}</dd>
        <dt className="text-muted">{t`Username`}</dt>
        <dd dir="auto" className="[overflow-wrap:anywhere]">
          {username}
        </dd>
        <dt className="text-muted">{t`Password`}</dt>
        <dd className="flex items-center gap-1">
          <code className="break-all font-mono">{password}</code>
          <CopyButton text={password} label={t`Copy password`} />
        </dd>
      </dl>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <span className="inline-flex items-center gap-1">
          <Trans>As a message</Trans>
          <CopyButton text={message} label={t`Copy as a message`} />
        </span>
        {email !== "" && (
          <a href={mail} className={buttonStyle({ variant: "secondary", size: "sm" })}>
            <Mail aria-hidden="true" />
            <Trans>Write a mail without the password</Trans>
          </a>
        )}
      </div>
    </Card>
  );
}
