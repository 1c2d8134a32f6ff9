import type { MailTexts } from "./mail-texts.ts";

export const mailTextsEn: MailTexts = {
  verification: {
    subject: "Your verification code",
    before: ["Your verification code is:"],
    after: [
      "It works once and for 10 minutes. If you did not ask for it, you can ignore this mail.",
    ],
  },
  alreadyRegistered: {
    subject: "You already have an account",
    before: [
      "A verification code was requested for this address, which already belongs to an account.",
      "Sign in with that account, or reset its password. If it was not you, you can ignore this mail.",
    ],
  },
  passwordReset: {
    subject: "Reset your password",
    before: ["Follow this link to choose a new password:"],
    after: [
      "It works once and for 10 minutes. If you did not ask for it, you can ignore this mail: nothing has changed.",
    ],
  },
  passwordChanged: ({ isByLink, passkeys }) => ({
    subject: "Your password was changed",
    before: [
      isByLink
        ? "The password of your account was changed through a mailed link, and all its sessions were signed out."
        : "The password of your account was changed, and all its other sessions were signed out.",
      ...(passkeys === ""
        ? []
        : [
            `These passkeys still sign in without the password: ${passkeys}. Remove those that you do not know in your account.`,
          ]),
      "If it was not you, ask the operator of this server for help at once.",
    ],
  }),
  addressChanged: {
    subject: "Your mail address was changed",
    before: [
      "Your account has another mail address now, and this one no longer belongs to it.",
      "If it was not you, change your password and ask the operator of this server for help at once.",
    ],
  },
  passkeyCopied: ({ name }) => ({
    subject: "A passkey of yours was refused",
    before: [
      `A sign-in to your account with the passkey "${name}" was refused: its device counts less than before, as a copy of it would.`,
      "Sign in another way, remove this passkey in your personal settings, and add a new one.",
    ],
  }),
  providerLink: ({ provider, username }) => ({
    subject: "Connect your sign-in",
    before: [
      `You signed in with ${provider}, and the account ${username} has your mail address. This code connects the two:`,
    ],
    after: [
      "It works once and for 10 minutes. If you did not sign in just now, ignore this mail and give the code to no one.",
    ],
  }),
  providerLinked: ({ provider }) => ({
    subject: "An identity provider was connected with your account",
    before: [
      `A sign-in with ${provider} found your account by its mail address, which the provider has verified. From now on it opens the account.`,
      "If this was not you, tell the administrator of this server.",
    ],
  }),
  teamInvitation: ({ team, inviter, days }) => ({
    subject: `Invitation to the team ${team}`,
    before: [
      `${inviter} invites you to the team ${team}. Its members share a balance for API calls.`,
    ],
    after: [
      `The link works once, for ${days} days, and for an account with this mail address.`,
      "If you do not know the sender, ignore this mail. Nothing happens without your answer.",
    ],
  }),
  lowBalance: ({ username, left }) => ({
    subject: "Your balance is low",
    before: [
      `The balance of the account ${username} is down to ${left}.`,
      "When it is used up, calls with its tokens are refused.",
    ],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "One of your API keys was disabled",
    before: [
      `An administrator disabled your API key "${name}".`,
      "Programs that use it are refused.",
    ],
  }),
  tokenPaused: ({ name }) => ({
    subject: "One of your API keys was paused",
    before: [
      `An administrator paused your API key "${name}".`,
      "Programs that use it are refused until it is resumed.",
    ],
  }),
  keysPaused: ({ budget }) => ({
    subject: "A budget paused API keys of yours",
    before: [
      `The budget "${budget}" is used up, so the API keys that it limits were paused.`,
      "Programs that use them are refused until they are resumed.",
    ],
  }),
  budgetAsked: ({ budget, username, amount, reason }) => ({
    subject: `${username} asks for more of the budget ${budget}`,
    before: [
      `${username} asks for ${amount} more of the budget "${budget}" in its present window.`,
      ...(reason === "" ? [] : [`Reason: ${reason}`]),
    ],
    after: ["What you grant ends with the window."],
  }),
  budgetAnswered: ({ budget, granted }) =>
    granted === null
      ? {
          subject: `Your request about the budget ${budget} was declined`,
          before: [`Nothing was added to the budget "${budget}" in its present window.`],
        }
      : {
          subject: `More of the budget ${budget} was granted`,
          before: [
            `You may spend ${granted} more of the budget "${budget}" in its present window.`,
          ],
        },
  keyPausedBySpike: ({ key, spent, usual }) => ({
    subject: "One of your API keys was paused",
    before: [
      `The API key "${key}" was paused: it has spent ${spent} today (UTC), and ${usual} on a usual day.`,
      "Programs that use it are refused until it is resumed.",
    ],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "One of your API keys was replaced",
    before: [
      `An administrator gave your API key "${name}" a new value, and the old one is refused.`,
      "Sign in to copy the new key, and put it into the programs that used the old one.",
    ],
  }),
  tokenRotated: ({ name, end }) => ({
    subject: "Your API key has a new value",
    before: [
      `Your API key "${name}" was given a new value from your account.`,
      end === null
        ? "The old one is refused from now on."
        : `The old one works until ${end}. Put the new one into your programs before that.`,
    ],
    after: ["If you did not do this, change your password and disable the key."],
  }),
  notices: {
    channel_disabled: ({ channel, reason }) => ({
      subject: `Channel ${channel} disabled`,
      before: [`Channel ${channel} was disabled automatically. ${reason}`],
    }),
    channel_enabled: ({ channel }) => ({
      subject: `Channel ${channel} enabled`,
      before: [`Channel ${channel} was enabled again: its test passed`],
    }),
    channel_suspended: ({ channel, model, reason, minutes }) => ({
      subject: `Channel ${channel} is suspended`,
      before: [
        `Calls of ${model} to channel ${channel} have failed for ${minutes} minutes (${reason}). The gateway passes it over where another channel can answer, and tries it now and then.`,
      ],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `A key of channel ${channel} disabled`,
      before: [
        `The key ${place} (…${hint}) of channel ${channel} was disabled automatically. ${reason}`,
      ],
    }),
    call_not_covered: ({ channel, calls }) => ({
      subject: `Channel ${channel}: a call cost more than was covered`,
      before: [
        `A call of channel ${channel} cost more than its hold, the balance and the debt that a wallet may have. The rest was written off; the log row says how much. Calls of this kind within a day: ${calls}.`,
      ],
    }),
    usage_capped: ({ channel }) => ({
      subject: `Usage of channel ${channel} capped`,
      before: [
        `Channel ${channel} reported more usage than one call can have; the ceiling was charged. Its log rows are marked usage_capped.`,
      ],
    }),
    quota_waits: ({ administrator, amount }) => ({
      subject: "Quota waits for your approval",
      before: [
        `The administrator ${administrator} wants to issue ${amount}, which is more than AdminIssueLimit allows today.`,
      ],
    }),
    budget_asked: ({ username, budget, amount }) => ({
      subject: `${username} asks for more of the budget ${budget}`,
      before: [
        `${username} asks for ${amount} more of the budget "${budget}" in its present window.`,
      ],
    }),
    team_without_admin: ({ team }) => ({
      subject: `The team ${team} has no administrator left`,
      before: [
        `No admin of the team ${team} has an enabled account. Its keys work on, but nobody in the team can manage its members, keys and budgets.`,
      ],
    }),
    channel_balance_low: ({ channel, dollars }) => ({
      subject: `Balance of channel ${channel} is low`,
      before: [
        `The provider of channel ${channel} reports a balance of ${dollars}. When it is used up, calls of this channel fail.`,
      ],
    }),
    model_unserved: ({ model }) => ({
      subject: `No channel serves ${model}`,
      before: [
        `The model ${model} was called today, and every channel that lists it is disabled or suspended. Calls of it fail.`,
      ],
    }),
    calls_failing: ({ model, calls, failed }) => ({
      subject: `Calls of ${model} fail`,
      before: [
        `${failed} of ${calls} calls of the model ${model} have failed within about an hour.`,
      ],
    }),
    calls_slow: ({ model, medianMs, usualMs }) => ({
      subject: `Calls of ${model} are slow`,
      before: [
        `The first content of the calls of ${model} comes after ${medianMs} ms (median of about an hour). At this time of day it was ${usualMs} ms within the last seven days.`,
      ],
    }),
    spend_spiking: ({ key, username, spent, usual, isPaused }) => ({
      subject: `API key ${key} spends more than usual`,
      before: [
        `The API key "${key}" of ${username} has spent ${spent} today (UTC). On a usual day it spends ${usual}.`,
        ...(isPaused
          ? [
              "The API key was paused. It works again when its owner or an administrator resumes it.",
            ]
          : []),
      ],
    }),
    price_missing: ({ model }) => ({
      subject: `${model} has no stated price`,
      before: [
        `The model ${model} was called today, and no price is stated for it: not by you, nor its channel, nor the price list. Its calls are charged at the default price.`,
      ],
    }),
    price_mismatch: ({ channel, ours, theirs }) => ({
      subject: `Channel ${channel}: its provider bills something else`,
      before: [
        `By our prices, the calls of channel ${channel} on the latest days that its provider has closed cost ${ours}. The provider billed ${theirs}.`,
      ],
    }),
    model_retiring: ({ model, endsOn, calls, users, replacement }) => ({
      subject: `${model} ends on ${endsOn}`,
      before: [
        `The provider ends the model ${model} on ${endsOn} (UTC). Within 14 days it answered ${calls} calls; users who called it: ${users}.`,
        ...describeReplacement(replacement),
      ],
    }),
    own_model_retiring: ({ model, endsOn, calls, replacement }) => ({
      subject: `${model} ends on ${endsOn}`,
      before: [
        `Its provider ends the model ${model} on ${endsOn} (UTC). Your API keys called it ${calls} times within 14 days; such calls fail from then on.`,
        ...describeReplacement(replacement),
      ],
    }),
    prices_changed: ({ models, model, list }) => ({
      subject: "Prices have changed",
      before: [
        `The price list ${list} moves the prices of models in use by more than a fifth: ${models}, among them ${model}. Nothing changes until root takes them on the page of prices.`,
      ],
    }),
    ledger_drifts: ({ findings, first }) => ({
      subject: "The books do not agree",
      before: [
        `The daily audit of the books found ${findings} disagreements. The first one: ${first}.`,
      ],
    }),
    trail_broken: ({ fault }) => ({
      subject: "The record of changes is broken",
      before: [`The daily check of the record of changes found a fault: ${fault}.`],
    }),
    disk_low: ({ gigabytes, percent }) => ({
      subject: "The disk is nearly full",
      before: [
        `The disk that holds the database has ${gigabytes} GB left, ${percent} % of it. When it is full, calls are refused.`,
      ],
    }),
    backup_old: ({ last, hours }) => ({
      subject: "The last backup is too old",
      before: [
        last === ""
          ? `No backup of the database is known, and there should be one every ${hours} hours.`
          : `The last backup of the database is of ${last}, and there should be one every ${hours} hours.`,
      ],
    }),
    clock_behind: ({ minutes }) => ({
      subject: "The clock is behind the newest entries",
      before: [
        `The newest entries in the database are ${minutes} minutes ahead of the clock of the gateway. New calls are shown with their right time, but sums by hour and day count them later until the clock has caught up; charges are right. If the clock is wrong, set it by NTP.`,
      ],
    }),
    database_refused: ({ minutes, message }) => ({
      subject: "The database refused to work",
      before: [
        `The database has taken nothing for ${minutes} minutes and works again. It said: ${message}`,
      ],
    }),
    root_signed_in: ({ username, network }) => ({
      subject: `${username} signed in from a new network`,
      before: [
        `The super administrator ${username} signed in from the network of ${network}, from which this account did not sign in before.`,
      ],
    }),
    sign_ins_locked: ({ locks }) => ({
      subject: "Many sign-ins are locked",
      before: [
        `At least ${locks} sign-ins were locked within an hour, each after repeated failures.`,
      ],
    }),
    budget_reached: ({ budget, percent, spent, amount }) => ({
      subject: `Budget ${budget}: ${percent} % reached`,
      before: [
        `The budget ${budget} has reached ${percent} % in its present window: ${spent} of ${amount} are spent.`,
      ],
    }),
    job_failing: ({ job }) => ({
      subject: `Background work fails: ${job}`,
      before: [`The background work "${job}" has failed several times in a row.`],
    }),
    notices_failing: ({ destination, answer }) => ({
      subject: `Notices to ${destination} fail`,
      before: [
        `The destination ${destination} has taken no notice for an hour. Its last answer: ${answer}`,
      ],
    }),
    wallet_low: ({ username, left, threshold }) => ({
      subject: "Your balance is low",
      before: [
        `The balance of the account ${username} is down to ${left}, which is below ${threshold}.`,
      ],
    }),
    key_expiring: ({ key, until }) => ({
      subject: `API key ${key} ends soon`,
      before: [
        `Your API key "${key}" ends at ${until}. Programs that use it are refused from then on.`,
      ],
    }),
    key_expired: ({ key }) => ({
      subject: `API key ${key} has ended`,
      before: [`Your API key "${key}" has ended. Programs that use it are refused.`],
    }),
    management_key_expiring: ({ key, until }) => ({
      subject: `Management key ${key} ends soon`,
      before: [
        `Your management key "${key}" ends at ${until}. Make another one for its programs, which are refused from then on.`,
      ],
    }),
    management_key_expired: ({ key }) => ({
      subject: `Management key ${key} has ended`,
      before: [`Your management key "${key}" has ended. Programs that use it are refused.`],
    }),
  },
  remedies: {
    "channel.disabled": "Remove the cause at the provider, then test the channel and enable it.",
    "channel.suspended":
      "Look at the provider's status, test the channel, and disable it while it lasts.",
    "channel.key_disabled":
      "Replace the key in the channel, or enable it once the provider accepts it again.",
    "channel.balance_low":
      "Top up the account at the provider, or let another channel serve its models.",
    "model.unserved": "Enable a channel of this model, or add one.",
    "calls.failing": "Look into the logs of this model, and test the channels that serve it.",
    "calls.slow":
      "Compare the channels of this model by latency on the dashboard, and prefer a quicker one.",
    "spend.spike":
      "If the spending is not meant, disable the key; otherwise give it a limit that fits.",
    "price.missing":
      "State its price on the page of prices, or in the configuration of its channel.",
    "price.mismatch":
      "Compare the days and models on the page of the channel's cost report, and correct the prices.",
    "model.retiring": "Offer a newer model, and bridge the name with a virtual model.",
    "price.changed":
      "Look at the differences on the page of prices, and take those that are right.",
    "ledger.drift":
      'Run "tollgate audit", which names each, and report it: only a fault, or a hand in the database, makes them.',
    "trail.broken":
      'Compare with a backup when it changed, and who can write to the database. "tollgate audit --trail" shows how far it is chained.',
    "storage.trouble":
      "Make room on the disk or keep logs and traces for fewer days; let the backups run again; look into the log of the database: whichever it names.",
    "sign_in.root":
      "If it was not you, end all sign-ins of this account, change its password, and read the record of changes.",
    "sign_in.lockouts":
      "Passwords may be guessed: ask for second factors, and restrict who reaches the console.",
    "budget.reached":
      "If the spending is meant, raise the budget; otherwise look into the logs for what spends it.",
    "call.not_covered":
      "Check the prices of the channel's models and the longest answer that its calls may ask for.",
    "usage.capped": "Compare these calls with the provider's own figures.",
    "quota.waiting": "Approve or refuse it on the page Users.",
    "budget.asked": "Grant or decline it on the page Budgets.",
    "team.without_admin":
      "On the page of the team, make one of its members admin and owner, or enable the account of an admin.",
    "job.failing": "The log of the gateway says why. The work is tried again by itself.",
    "notice.failing":
      "Test the destination. If its address or token is no longer valid, delete it and add it anew.",
    "wallet.low": "Top up your account: when the balance is used up, calls are refused.",
    "key.expiring": "Give the key a later end, or replace it in your programs.",
    "own_budget.reached":
      "If the spending is meant, raise the limit or ask for it; otherwise look into your logs for what spends it.",
    "own_model.retiring": "Choose another model in your programs before that day.",
  },
  alertResolved: ({ subject }) => ({
    subject: `Resolved: ${subject}`,
    before: ["This is no longer the case."],
  }),
  alertReminder: ({ subject }) => ({
    subject: `Still firing: ${subject}`,
    before: ["This has been the case for a day."],
  }),
  alertFlapping: ({ subject }) => ({
    subject: `Unsteady: ${subject}`,
    before: [
      "This has begun and ended several times within an hour. You hear of it again once it has been steady for an hour.",
    ],
  }),
  alertDigest: ({ count }) => ({
    subject: `${count} alerts`,
    before: ["Several alerts came together:"],
  }),
  alertExample: {
    subject: "Example of a notice",
    before: ["This is an example: notices of this server reach you here."],
  },
  destinationCode: ({ code }) => ({
    subject: "Code for your notices",
    before: [
      `Your code is ${code}. Type it in the console to get notices here.`,
      "It works once and for 10 minutes. If you did not ask for it, you can ignore this message.",
    ],
  }),
};

const describeReplacement = (replacement = ""): string[] =>
  replacement === "" ? [] : [`In its place: ${replacement}.`];
