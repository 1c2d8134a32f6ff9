# A gateway as code. `npm run trust -- terraform` applies this file, so it stays true.
terraform {
  required_providers {
    tollgate = { source = "tollgate/tollgate" }
  }
}

# TOLLGATE_URL and TOLLGATE_KEY say which gateway, with which management key.
provider "tollgate" {}

variable "provider_key" {
  type      = string
  sensitive = true
}

variable "first_password" {
  type      = string
  sensitive = true
}

variable "base_url" {
  type    = string
  default = ""
}

resource "tollgate_channel" "west" {
  name     = "openai-west"
  type     = 1
  key_wo   = var.provider_key
  base_url = var.base_url
  models   = "gpt-5.6-terra,gpt-5.6-sol"
  group    = "default"
  priority = 10
  model_configs = jsonencode({
    "gpt-5.6-terra" = { ratio = 1, completion_ratio = 4 }
  })
}

resource "tollgate_virtual_model" "chat" {
  name = "chat-default"
  tiers = [{
    strategy = "weights"
    targets = [
      { model = "gpt-5.6-terra", weight = 95 },
      { model = "gpt-5.6-sol", weight = 5 },
    ]
  }]
}

resource "tollgate_user" "alice" {
  username     = "alice"
  display_name = "Alice"
  password_wo  = var.first_password
  quota        = 1000000
}

resource "tollgate_budget" "alice" {
  name       = "alice by month"
  subject    = "user"
  subject_id = tollgate_user.alice.id
  window     = "month"
  amount     = 5000000
  thresholds = [50, 100]
}

resource "tollgate_budget" "search" {
  name    = "search by day"
  subject = "tag"
  tag     = "team=search"
  window  = "day"
  amount  = 1000000
}

resource "tollgate_team" "search" {
  name      = "search"
  rpm_limit = 600
}

resource "tollgate_token" "deploy" {
  name         = "deploy"
  remain_quota = 500000
  models       = "gpt-5.6-terra, chat-default"
  subnet       = "127.0.0.0/8, ::1"
}

resource "tollgate_option" "retries" {
  key   = "RetryTimes"
  value = "3"
}

data "tollgate_groups" "all" {}

data "tollgate_models" "all" {
  depends_on = [tollgate_channel.west]
}

output "deploy_key" {
  value     = tollgate_token.deploy.key
  sensitive = true
}

output "groups" {
  value = data.tollgate_groups.all.names
}

output "models" {
  value = data.tollgate_models.all.names
}
