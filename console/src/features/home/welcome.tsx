import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { formatSystemName, hasFeature, useSession } from "../../session.ts";
import { Gate } from "../../shell/gate.tsx";
import { readSiteAddress } from "../../site-path.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";

const WelcomeModels = buildLazyPart(
  async () => (await import("./welcome-models.tsx")).WelcomeModels,
);

/** The home page of a site without an operator's text. */
export function Welcome() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const name = formatSystemName(status);
  const address = `${readSiteAddress()}/v1`;
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-6 md:pt-10">
      <div className="flex flex-col-reverse gap-x-10 gap-y-4 lg:flex-row lg:items-end lg:justify-between">
        <div className="flex min-w-0 flex-col gap-2">
          <h1 className="font-semibold text-2xl [overflow-wrap:anywhere]">{name}</h1>
          <p className="max-w-xl text-lg text-muted">
            <Trans>Many AI models behind one address, with one key and one bill.</Trans>
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            {user === null ? (
              <ButtonLink to="/login" variant="primary">
                <Trans>Sign In</Trans>
              </ButtonLink>
            ) : (
              <ButtonLink to="/dashboard" variant="primary">
                <Trans>Go to the dashboard</Trans>
              </ButtonLink>
            )}
            <ButtonLink to="/models">
              <Trans>See models and prices</Trans>
            </ButtonLink>
            {hasFeature(status, "key_holder_page") && (
              <ButtonLink to="/key" variant="ghost">
                <Trans>Your API key</Trans>
              </ButtonLink>
            )}
          </div>
        </div>
        <Gate width="min(26rem, 60vw)" />
      </div>
      <div className="flex flex-wrap items-start gap-6">
        <Card
          className="grow basis-80"
          title={t`Connect`}
          note={t`Any client that speaks the OpenAI API works: it needs this address and a key.`}
        >
          <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">
            <dt className="text-muted sm:leading-8">
              <Trans>Base URL</Trans>
            </dt>
            <dd className="flex min-w-0 items-center gap-1">
              <code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{address}</code>
              <CopyButton text={address} label={t`Copy base URL`} />
            </dd>
            <dt className="text-muted">
              <Trans>API key</Trans>
            </dt>
            <dd>
              <Link to="/tokens/add" className="py-1 text-accent">
                <Trans>Create an API key</Trans>
              </Link>
            </dd>
          </dl>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            className="mt-4 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-sm"
          >{`curl ${address}/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "MODEL", "messages":
  [{"role": "user", "content": "Hello"}]}'`}</pre>
        </Card>
        <WelcomeModels />
      </div>
    </div>
  );
}
