import type { MailTexts } from "./mail-texts.ts";

export const mailTextsZh: MailTexts = {
  verification: {
    subject: "您的验证码",
    before: ["您的验证码是："],
    after: ["该验证码 10 分钟内有效，只能使用一次。如果不是您本人请求的，请忽略此邮件。"],
  },
  alreadyRegistered: {
    subject: "您已有账户",
    before: [
      "有人为此邮箱请求了验证码，而此邮箱已属于一个账户。",
      "请使用该账户登录，或重置其密码。如果不是您本人操作，请忽略此邮件。",
    ],
  },
  passwordReset: {
    subject: "重置您的密码",
    before: ["请通过以下链接设置新密码："],
    after: [
      "该链接 10 分钟内有效，只能使用一次。如果不是您本人请求的，请忽略此邮件：未做任何更改。",
    ],
  },
  passwordChanged: ({ isByLink, passkeys }) => ({
    subject: "您的密码已更改",
    before: [
      isByLink
        ? "您账户的密码已通过邮件链接更改，所有会话均已退出登录。"
        : "您账户的密码已更改，其他所有会话均已退出登录。",
      ...(passkeys === ""
        ? []
        : [
            `以下通行密钥仍可在没有密码的情况下登录：${passkeys}。请在账户中删除您不认识的通行密钥。`,
          ]),
      "如果不是您本人操作，请立即联系此服务器的管理员。",
    ],
  }),
  addressChanged: {
    subject: "您的邮箱已更换",
    before: [
      "您的账户已更换邮箱，此邮箱不再属于该账户。",
      "如果不是您本人操作，请修改密码并立即联系此服务器的管理员。",
    ],
  },
  passkeyCopied: ({ name }) => ({
    subject: "您的一个通行密钥被拒绝",
    before: [
      `使用通行密钥“${name}”登录您账户的请求已被拒绝：设备的计数小于之前的值，可能是复制品。`,
      "请用其他方式登录，在个人设置中移除此通行密钥，然后添加新的通行密钥。",
    ],
  }),
  providerLink: ({ provider, username }) => ({
    subject: "关联您的登录",
    before: [
      `您刚刚通过 ${provider} 登录，账户 ${username} 使用的正是您的邮箱。输入此验证码即可关联两者：`,
    ],
    after: [
      "该验证码 10 分钟内有效，只能使用一次。如果您刚才没有登录，请忽略此邮件，并且不要把验证码告诉任何人。",
    ],
  }),
  providerLinked: ({ provider }) => ({
    subject: "您的账户已关联身份提供商",
    before: [
      `使用 ${provider} 的登录通过其已验证的邮箱地址找到了您的账户。今后可用它登录该账户。`,
      "如果这不是您本人的操作，请告知本服务器的管理员。",
    ],
  }),
  teamInvitation: ({ team, inviter, days }) => ({
    subject: `邀请加入团队 ${team}`,
    before: [`${inviter} 邀请您加入团队 ${team}。团队成员共享用于 API 调用的余额。`],
    after: [
      `链接在 ${days} 天内有效，只能使用一次，且仅限使用此邮箱地址的账户。`,
      "如果您不认识发件人，请忽略此邮件。您不回应就不会有任何变化。",
    ],
  }),
  lowBalance: ({ username, left }) => ({
    subject: "您的余额不足",
    before: [`账户 ${username} 的余额已降至 ${left}。`, "余额用尽后，使用其令牌的调用将被拒绝。"],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "您的一个 API 密钥已被禁用",
    before: [`管理员禁用了您的 API 密钥“${name}”。`, "使用它的程序将被拒绝。"],
  }),
  tokenPaused: ({ name }) => ({
    subject: "您的一个 API 密钥已被暂停",
    before: [`管理员暂停了您的 API 密钥“${name}”。`, "在有人恢复之前，使用它的程序将被拒绝。"],
  }),
  keysPaused: ({ budget }) => ({
    subject: "预算已暂停您的 API 密钥",
    before: [
      `预算“${budget}”已用完，受其限制的 API 密钥已被暂停。`,
      "在有人恢复之前，使用这些密钥的程序将被拒绝。",
    ],
  }),
  budgetAsked: ({ budget, username, amount, reason }) => ({
    subject: `${username} 申请增加预算 ${budget}`,
    before: [
      `${username} 申请在当前周期内为预算“${budget}”增加 ${amount}。`,
      ...(reason === "" ? [] : [`理由：${reason}`]),
    ],
    after: ["批准的额度随周期结束而失效。"],
  }),
  budgetAnswered: ({ budget, granted }) =>
    granted === null
      ? {
          subject: `您对预算 ${budget} 的申请被拒绝`,
          before: [`预算“${budget}”在当前周期内没有增加。`],
        }
      : {
          subject: `预算 ${budget} 已增加`,
          before: [`在当前周期内，您可以从预算“${budget}”中多使用 ${granted}。`],
        },
  keyPausedBySpike: ({ key, spent, usual }) => ({
    subject: "您的一个 API 密钥已被暂停",
    before: [
      `API 密钥“${key}”已被暂停：今天（UTC）已消费 ${spent}，平时每天为 ${usual}。`,
      "在有人恢复之前，使用该密钥的程序将被拒绝。",
    ],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "您的一个 API 密钥已被替换",
    before: [
      `管理员替换了您的 API 密钥“${name}”，旧密钥已失效。`,
      "请登录复制新密钥，并将其填入使用旧密钥的程序。",
    ],
  }),
  tokenRotated: ({ name, end }) => ({
    subject: "您的 API 密钥已更新",
    before: [
      `您的账户已为 API 密钥“${name}”生成新值。`,
      end === null
        ? "旧密钥即刻失效。"
        : `旧密钥在 ${end} 之前仍可使用，请在此之前将新密钥填入您的程序。`,
    ],
    after: ["如果这不是您的操作，请修改密码并禁用该密钥。"],
  }),
  notices: {
    channel_disabled: ({ channel, reason }) => ({
      subject: `渠道 ${channel} 已禁用`,
      before: [`渠道 ${channel} 已被自动禁用。${reason}`],
    }),
    channel_enabled: ({ channel }) => ({
      subject: `渠道 ${channel} 已启用`,
      before: [`渠道 ${channel} 测试通过，已重新启用。`],
    }),
    channel_suspended: ({ channel, model, reason, minutes }) => ({
      subject: `渠道 ${channel} 被暂停`,
      before: [
        `渠道 ${channel} 上 ${model} 的调用已连续失败 ${minutes} 分钟（${reason}）。只要其他渠道可以应答，网关就会跳过它，并不时重试。`,
      ],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `渠道 ${channel} 的一个密钥已禁用`,
      before: [`渠道 ${channel} 的密钥 ${place}（…${hint}）已被自动禁用。${reason}`],
    }),
    call_not_covered: ({ channel, calls }) => ({
      subject: `渠道 ${channel}：一次调用的费用超出可用额度`,
      before: [
        `渠道 ${channel} 的一次调用费用超出了预留额度、余额和允许的欠款。超出部分已核销，日志中记录了金额。一天内此类调用：${calls} 次。`,
      ],
    }),
    usage_capped: ({ channel }) => ({
      subject: `渠道 ${channel} 的用量已按上限计费`,
      before: [
        `渠道 ${channel} 上报的用量超过一次调用的上限，已按上限计费。相关日志带有 usage_capped 标记。`,
      ],
    }),
    quota_waits: ({ administrator, amount }) => ({
      subject: "有额度等待您批准",
      before: [`管理员 ${administrator} 要发放 ${amount}，超出了今天 AdminIssueLimit 的限额。`],
    }),
    budget_asked: ({ username, budget, amount }) => ({
      subject: `${username} 申请增加预算 ${budget}`,
      before: [`${username} 申请在当前周期内为预算“${budget}”增加 ${amount}。`],
    }),
    team_without_admin: ({ team }) => ({
      subject: `团队 ${team} 已没有管理员`,
      before: [
        `团队 ${team} 的管理员中没有账户处于启用状态。其密钥仍可使用，但团队中无人能管理成员、密钥和预算。`,
      ],
    }),
    channel_balance_low: ({ channel, dollars }) => ({
      subject: `渠道 ${channel} 的余额不足`,
      before: [`渠道 ${channel} 的提供商报告余额为 ${dollars}。用完后，该渠道的调用会失败。`],
    }),
    model_unserved: ({ model }) => ({
      subject: `没有渠道提供 ${model}`,
      before: [
        `模型 ${model} 今天被调用过，而列出它的所有渠道都已禁用或被暂停。对它的调用会失败。`,
      ],
    }),
    calls_failing: ({ model, calls, failed }) => ({
      subject: `${model} 的调用失败`,
      before: [`模型 ${model} 在约一小时内的 ${calls} 次调用中有 ${failed} 次失败。`],
    }),
    calls_slow: ({ model, medianMs, usualMs }) => ({
      subject: `${model} 的调用变慢`,
      before: [
        `${model} 的调用在 ${medianMs} 毫秒后才收到首个内容（约一小时的中位数）。过去七天的同一时段为 ${usualMs} 毫秒。`,
      ],
    }),
    spend_spiking: ({ key, username, spent, usual, isPaused }) => ({
      subject: `API 密钥 ${key} 的消费高于平时`,
      before: [
        `${username} 的 API 密钥“${key}”今天（UTC）已消费 ${spent}，平时每天为 ${usual}。`,
        ...(isPaused ? ["该 API 密钥已被暂停。其所有者或管理员恢复后即可继续使用。"] : []),
      ],
    }),
    price_missing: ({ model }) => ({
      subject: `${model} 没有设定价格`,
      before: [
        `模型 ${model} 今天被调用，但您、其渠道和价格表都没有设定它的价格。其调用按默认价格计费。`,
      ],
    }),
    price_mismatch: ({ channel, ours, theirs }) => ({
      subject: `渠道 ${channel} 的提供商账单与我们的价格不符`,
      before: [
        `按我们的价格，渠道 ${channel} 在提供商最近已结算的几天里的调用费用为 ${ours}，而提供商收取了 ${theirs}。`,
      ],
    }),
    model_retiring: ({ model, endsOn, calls, users, replacement }) => ({
      subject: `${model} 将于 ${endsOn} 停用`,
      before: [
        `提供商将于 ${endsOn}（UTC）停用模型 ${model}。过去 14 天它响应了 ${calls} 次调用，调用它的用户：${users}。`,
        ...describeReplacement(replacement),
      ],
    }),
    own_model_retiring: ({ model, endsOn, calls, replacement }) => ({
      subject: `${model} 将于 ${endsOn} 停用`,
      before: [
        `提供商将于 ${endsOn}（UTC）停用模型 ${model}。过去 14 天您的 API 密钥调用了它 ${calls} 次；此后这些调用会失败。`,
        ...describeReplacement(replacement),
      ],
    }),
    prices_changed: ({ models, model, list }) => ({
      subject: "价格已变化",
      before: [
        `价格表 ${list} 中有在用模型的价格变化超过五分之一：${models} 个，其中有 ${model}。在 root 于价格页面采用之前，不会有任何改变。`,
      ],
    }),
    ledger_drifts: ({ findings, first }) => ({
      subject: "账目不一致",
      before: [`每日账目审计发现 ${findings} 处不一致。第一处：${first}。`],
    }),
    trail_broken: ({ fault }) => ({
      subject: "变更记录已损坏",
      before: [`每日检查发现变更记录有问题：${fault}。`],
    }),
    disk_low: ({ gigabytes, percent }) => ({
      subject: "磁盘即将写满",
      before: [`数据库所在磁盘还剩 ${gigabytes} GB（${percent}%）。写满后调用会被拒绝。`],
    }),
    backup_old: ({ last, hours }) => ({
      subject: "上一次备份过旧",
      before: [
        last === ""
          ? `没有已知的数据库备份，而每 ${hours} 小时应有一次。`
          : `数据库上一次备份的时间是 ${last}，而每 ${hours} 小时应有一次。`,
      ],
    }),
    clock_behind: ({ minutes }) => ({
      subject: "时钟落后于最新的记录",
      before: [
        `数据库中最新的记录比网关的时钟快 ${minutes} 分钟。新的调用以正确的时间显示，但在时钟赶上之前，按小时和按天的合计会把它们算到更晚的时间；扣费是正确的。如果时钟有误，请用 NTP 校准。`,
      ],
    }),
    database_refused: ({ minutes, message }) => ({
      subject: "数据库曾拒绝工作",
      before: [`数据库在 ${minutes} 分钟内没有接受任何操作，现已恢复。其信息：${message}`],
    }),
    root_signed_in: ({ username, network }) => ({
      subject: `${username} 从新的网络登录`,
      before: [`超级管理员 ${username} 从网络 ${network} 登录，该账户此前从未在此网络登录。`],
    }),
    sign_ins_locked: ({ locks }) => ({
      subject: "大量登录被锁定",
      before: [`一小时内至少有 ${locks} 次登录因多次失败而被锁定。`],
    }),
    budget_reached: ({ budget, percent, spent, amount }) => ({
      subject: `预算 ${budget}：已达 ${percent}%`,
      before: [`预算 ${budget} 在当前周期内已达 ${percent}%：${amount} 中已花费 ${spent}。`],
    }),
    job_failing: ({ job }) => ({
      subject: `后台任务失败：${job}`,
      before: [`后台任务“${job}”连续多次失败。`],
    }),
    notices_failing: ({ destination, answer }) => ({
      subject: `发往 ${destination} 的通知失败`,
      before: [`目标 ${destination} 一小时内没有接收任何通知。最后的回复：${answer}`],
    }),
    wallet_low: ({ username, left, threshold }) => ({
      subject: "您的余额不足",
      before: [`账户 ${username} 的余额还剩 ${left}，低于 ${threshold}。`],
    }),
    key_expiring: ({ key, until }) => ({
      subject: `API 密钥 ${key} 即将到期`,
      before: [`您的 API 密钥“${key}”将于 ${until} 到期。此后使用它的程序会被拒绝。`],
    }),
    key_expired: ({ key }) => ({
      subject: `API 密钥 ${key} 已到期`,
      before: [`您的 API 密钥“${key}”已到期。使用它的程序会被拒绝。`],
    }),
    management_key_expiring: ({ key, until }) => ({
      subject: `管理密钥 ${key} 即将到期`,
      before: [
        `您的管理密钥“${key}”将于 ${until} 到期。请为使用它的程序创建新密钥，此后它们会被拒绝。`,
      ],
    }),
    management_key_expired: ({ key }) => ({
      subject: `管理密钥 ${key} 已到期`,
      before: [`您的管理密钥“${key}”已到期。使用它的程序会被拒绝。`],
    }),
  },
  remedies: {
    "channel.disabled": "请在提供商处排除原因，然后测试并启用该渠道。",
    "channel.suspended": "请查看提供商的服务状态，测试该渠道，并在故障期间将其禁用。",
    "channel.key_disabled": "请更换渠道中的密钥，或在提供商重新接受后启用它。",
    "channel.balance_low": "请在提供商处为账户充值，或让其他渠道提供其模型。",
    "model.unserved": "请启用该模型的一个渠道，或添加一个。",
    "calls.failing": "请查看该模型的日志，并测试提供它的渠道。",
    "calls.slow": "请在仪表盘上比较该模型各渠道的延迟，并优先使用较快的渠道。",
    "spend.spike": "如果这笔消费并非本意，请禁用该密钥；否则请为它设置合适的上限。",
    "price.missing": "请在价格页面或其渠道的配置中设定价格。",
    "price.mismatch": "请在渠道的费用报告页面比较各天和各模型，并更正价格。",
    "model.retiring": "请提供更新的模型，并用虚拟模型承接原名称。",
    "price.changed": "请在价格页面查看差异，并采用正确的价格。",
    "ledger.drift":
      "请运行“tollgate audit”查看每一处并报告：只有缺陷或对数据库的直接改动才会造成。",
    "trail.broken":
      "请与备份比较以确定何时发生，并检查谁可以写入数据库。“tollgate audit --trail”显示链完整到哪一条。",
    "storage.trouble":
      "请按所指内容处理：释放空间或减少日志与追踪的保留天数；让备份重新运行；查看数据库的日志。",
    "sign_in.root": "如果不是您本人，请结束该账户的所有登录、更改密码，并查看变更记录。",
    "sign_in.lockouts": "可能有人在猜测密码：请要求两步验证，并限制可以访问控制台的来源。",
    "budget.reached": "如果支出符合预期，请提高预算；否则请在日志中查看支出来源。",
    "call.not_covered": "请检查渠道各模型的价格，以及其调用可请求的最长回复。",
    "usage.capped": "请将这些调用与提供商的数据核对。",
    "quota.waiting": "请在“用户”页面批准或拒绝。",
    "budget.asked": "请在“预算”页面批准或拒绝。",
    "team.without_admin": "请在团队页面将一名成员设为管理员和所有者，或启用某位团队管理员的账户。",
    "job.failing": "原因见网关日志。该任务会自动重试。",
    "notice.failing": "请测试该目标。如果其地址或令牌已失效，请删除后重新添加。",
    "wallet.low": "请为账户充值：余额用完后，调用会被拒绝。",
    "key.expiring": "请延长密钥的有效期，或在程序中更换密钥。",
    "own_budget.reached":
      "如果这些支出符合预期，请提高限额或申请提高；否则请在日志中查看支出来源。",
    "own_model.retiring": "请在该日之前在您的程序中改用其他模型。",
  },
  alertResolved: ({ subject }) => ({ subject: `已恢复：${subject}`, before: ["此情况已不存在。"] }),
  alertReminder: ({ subject }) => ({
    subject: `仍在持续：${subject}`,
    before: ["此情况已持续一天。"],
  }),
  alertFlapping: ({ subject }) => ({
    subject: `不稳定：${subject}`,
    before: ["此情况在一小时内多次出现又消失。稳定一小时后会再次通知您。"],
  }),
  alertDigest: ({ count }) => ({ subject: `${count} 条告警`, before: ["多条告警同时出现："] }),
  alertExample: { subject: "通知示例", before: ["这是一个示例：此服务器的通知会发送到这里。"] },
  destinationCode: ({ code }) => ({
    subject: "通知验证码",
    before: [
      `您的验证码是 ${code}。在控制台中输入后，通知会发送到这里。`,
      "验证码只能使用一次，10 分钟内有效。如果不是您本人操作，请忽略此消息。",
    ],
  }),
};

const describeReplacement = (replacement = ""): string[] =>
  replacement === "" ? [] : [`替代模型：${replacement}。`];
