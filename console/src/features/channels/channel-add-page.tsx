import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import {
  createChannel,
  listChannels,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { useState } from "react";
import { useCreation } from "../../components/forms/use-creation.ts";
import { unfinished } from "../../ui/form/form-contract.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Page } from "../../ui/page.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { buildChannelCreate, newChannel } from "./channel-form-values.ts";
import { computeChannelCount } from "./channel-screen-rules.ts";

/** The question before several channels are created, until it is answered. */
type CountQuestion = { count: number; answer: (isMeant: boolean) => void };

export function ChannelAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createChannel, [listChannels, searchChannels]);
  const [question, setQuestion] = useState<CountQuestion>();
  const count = question?.count ?? 0;
  const ask = async (wanted: number) => {
    const isMeant = await new Promise<boolean>((answer) => setQuestion({ count: wanted, answer }));
    setQuestion(undefined);
    return isMeant;
  };
  return (
    <Page title={t`Create Channel`} subtitle={t`Add a provider account`}>
      <ChannelForm
        initial={newChannel}
        submit={<Trans>Create Channel</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const wanted = computeChannelCount(values);
          if (wanted > 1 && !(await ask(wanted))) return unfinished;
          await create(buildChannelCreate(values));
          await navigate({ to: "/channels", state: { message: t`Channel created successfully` } });
          return undefined;
        }}
      />
      <Confirm
        open={question !== undefined}
        title={<Trans>Create {count} channels</Trans>}
        question={
          <Trans>
            The API key has {count} lines, and each line becomes the key of a channel of its own.
            For one channel with all of them, choose "Several keys in one channel"; a key that is
            one secret must be on one line.
          </Trans>
        }
        confirmLabel={<Trans>Create {count} channels</Trans>}
        variant="primary"
        onConfirm={async () => question?.answer(true)}
        onClose={() => question?.answer(false)}
      />
    </Page>
  );
}
