import { Trans, useLingui } from "@lingui/react/macro";
import { CaptionedCode } from "../../components/captioned-code.tsx";
import { readSiteAddress } from "../../site-path.ts";
import { Card } from "../../ui/card.tsx";

const refusal =
  '{ "success": false, "message": "This token does not exist", "code": "token_not_found" }';

/** `ReferenceIntroduction` shows what every operation has in common. */
export function ReferenceIntroduction() {
  const { t } = useLingui();
  const address = readSiteAddress();
  return (
    <>
      <Card title={<Trans>Two APIs</Trans>}>
        <dl className="flex flex-col gap-3 [&_code]:break-all [&_code]:font-mono [&_code]:text-sm">
          <div>
            <dt className="font-medium">
              <Trans>The client API, for programs that call models</Trans>
            </dt>
            <dd className="text-muted">
              <Trans>
                Under <code>{address}/v1</code>, with an API key:{" "}
                <code>Authorization: Bearer sk-…</code>
              </Trans>
            </dd>
          </div>
          <div>
            <dt className="font-medium">
              <Trans>The management API, for programs that administer the gateway</Trans>
            </dt>
            <dd className="text-muted">
              <Trans>
                Under <code>{address}/api</code>, with a management key:{" "}
                <code>Authorization: Bearer tgm-…</code>
              </Trans>
            </dd>
          </div>
        </dl>
      </Card>
      <Card title={<Trans>Replies and limits</Trans>}>
        <ul className="flex list-disc flex-col gap-1 pl-5">
          <li>
            <Trans>
              A reply of the management API has success, message and data. A refusal has a code, and
              with status 400 the wrong fields.
            </Trans>
          </li>
          <li>
            <Trans>Some refusals have the HTTP status 200, so look at success.</Trans>
          </li>
          <li>
            <Trans>
              The client API answers in the format of the address that was called, errors included.
            </Trans>
          </li>
          <li>
            <Trans>
              A management key has 120 calls a minute, an API key its own limits. A refusal is 429
              with Retry-After.
            </Trans>
          </li>
          <li>
            <Trans>
              A creation with a random Idempotency-Key is done once: a repetition within a day gets
              the first result, and within ten minutes the API key that it made.
            </Trans>
          </li>
          <li>
            <Trans>
              A change with the header Dry-Run: true is checked for rights and form, and not made.
            </Trans>
          </li>
          <li>
            <Trans>
              Amounts are quota units, 500,000 to the dollar. Times that end in _time are Unix
              seconds, those in _at milliseconds.
            </Trans>
          </li>
          <li>
            <Trans>A list takes p (the page, from 0) and size, and tells its total.</Trans>
          </li>
        </ul>
        <CaptionedCode label={t`A refusal`} code={refusal} />
      </Card>
    </>
  );
}
