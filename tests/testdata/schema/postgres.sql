audit_log.id bigint not null
audit_log.at bigint not null
audit_log.who text not null
audit_log.what text not null
audit_log.origin text not null
audit_log.outcome text not null
catalog_overrides.kind text not null
catalog_overrides.id text not null
catalog_overrides.body text
catalog_overrides.status text not null
catalog_overrides.base_revision text not null
catalog_overrides.username text not null
catalog_overrides.created_at bigint not null
catalog_overrides.updated_at bigint not null
catalog_revisions.hash text not null
catalog_revisions.kind text not null
catalog_revisions.body text not null
database_mark.id text collate C not null
dead_letters.cluster text collate C not null
dead_letters.subject text collate C not null
dead_letters.scope text collate C not null
dead_letters.namespace text collate C not null
dead_letters.name text collate C not null
dead_letters.rv text collate C not null
dead_letters.size bigint not null
dead_letters.reason text collate C not null
dead_letters.times integer not null
dead_letters.first_at bigint not null
dead_letters.last_at bigint not null
event_horizon.position bigint not null
events.position bigint not null
events.type text collate C not null
events.subject text collate C not null
events.at bigint not null
events.body text collate C not null
history_key.one smallint not null
history_key.key text collate C not null
idempotency_keys.caller text collate C not null
idempotency_keys.key text collate C not null
idempotency_keys.endpoint text collate C not null
idempotency_keys.request_hash text collate C not null
idempotency_keys.job_ids text collate C not null
idempotency_keys.expires_at bigint not null
instances.id text not null
instances.host text not null
instances.roles text not null
instances.version text not null
instances.started_at bigint not null
instances.heartbeat_at bigint not null
instances.directories text not null default '[]'::text
job_attempts.job_id text collate C not null
job_attempts.number integer not null
job_attempts.cluster_id text collate C not null
job_attempts.handle text collate C not null
job_attempts.started_at bigint
job_attempts.finished_at bigint
job_attempts.status smallint not null
job_attempts.reason text collate C not null
job_attempts.error text collate C not null
job_outputs.job_id text collate C not null
job_outputs.outputs text collate C not null
job_results.job_id text collate C not null
job_results.info text collate C not null
job_tags.tag text collate C not null
job_tags.job_id text collate C not null
jobs.id text collate C not null
jobs.status smallint not null
jobs.username text collate C not null
jobs.name text collate C not null
jobs.version text collate C not null
jobs.description text collate C not null
jobs.tags text collate C not null
jobs.context text collate C
jobs.command_criteria text collate C
jobs.cluster_criteria text collate C
jobs.store_result_sync smallint not null
jobs.queue text collate C not null
jobs.priority integer not null
jobs.timeout_us bigint not null
jobs.max_attempts integer not null
jobs.idempotency_key text collate C not null
jobs.rerun_of text collate C not null
jobs.command_id text collate C not null
jobs.command_name text collate C not null
jobs.cluster_id text collate C not null
jobs.cluster_name text collate C not null
jobs.plugin text collate C not null
jobs.is_sync smallint not null
jobs.host_local smallint not null
jobs.command_revision text collate C not null
jobs.cluster_revision text collate C not null
jobs.attempt integer not null
jobs.lease_epoch bigint not null
jobs.lease_owner text collate C not null
jobs.host text collate C not null
jobs.handle text collate C not null
jobs.status_reason text collate C not null
jobs.error text collate C not null
jobs.canceled_by text collate C not null
jobs.not_before bigint not null
jobs.started_at bigint
jobs.finished_at bigint
jobs.duration_us bigint not null
jobs.extra_job_attributes jsonb not null default '{}'::jsonb
jobs.attribute_errors text collate C not null default '{}'::text
jobs.record_ids text collate C not null default '[]'::text
jobs.has_result smallint not null default 0
jobs.created_at bigint not null
jobs.updated_at bigint not null
objects.cluster text collate C not null
objects.uid text collate C not null
objects.namespace text collate C not null
objects.name text collate C not null
objects.scope text collate C not null
objects.rv bigint not null
objects.record_id text collate C not null
objects.spec_hash text collate C not null
objects.submission_id text collate C not null
objects.attempt_time bigint
objects.run_number integer not null
objects.gone smallint not null
objects.outside smallint not null
objects.seen_at bigint not null
record_manifests.hash text collate C not null
record_manifests.body text collate C not null
record_manifests.loose_since bigint
records.id text collate C not null
records.cluster text collate C not null
records.uid text collate C not null
records.number integer not null
records.namespace text collate C not null
records.name text collate C not null
records.status smallint not null
records.reason text collate C not null
records.type smallint not null
records.project text collate C not null
records.table_name text collate C not null
records.hash text collate C not null
records.start_time bigint not null
records.end_time bigint
records.bucket integer not null
records.window_from bigint
records.window_to bigint
records.spark_application_id text collate C not null
records.gateway_job text collate C not null
records.manifest text collate C not null
records.has_outcome smallint not null
records.start_is_attempt smallint not null
records.awaits_status smallint not null
records.attempts bigint not null
records.submission_id text collate C not null
records.attempt_time bigint
records.state text collate C not null
records.driver_end bigint
records.opened_at bigint not null
records.seen_at bigint not null
records.unwatched_since bigint
records.type_word text collate C not null
records.driver_pod text collate C not null
records.web_ui_address text collate C not null
records.output_location text collate C not null
records.feature_refs text collate C not null
records.attributes text collate C not null
records.attribute_errors text collate C not null
records.error text collate C not null
schema_migrations.number bigint not null
schema_migrations.name text not null
schema_migrations.checksum text not null
schema_migrations.applied_at bigint not null
stats_hourly.hour bigint not null
stats_hourly.username text not null
stats_hourly.command text not null
stats_hourly.cluster text not null
stats_hourly.status integer not null
stats_hourly.bucket integer not null
stats_hourly.shard integer not null
stats_hourly.jobs bigint not null
tombstones.job_id text collate C not null
tombstones.removed_at bigint not null
watch_cursors.cluster text collate C not null
watch_cursors.scope text collate C not null
watch_cursors.rv text collate C not null
watch_cursors.at bigint not null
watch_leases.cluster text collate C not null
watch_leases.scope text collate C not null
watch_leases.holder text collate C not null
watch_leases.renewed_at bigint not null
watch_leases.watched_at bigint not null
CREATE INDEX audit_log_by_time ON public.audit_log USING btree (at)
CREATE UNIQUE INDEX audit_log_pkey ON public.audit_log USING btree (id)
CREATE UNIQUE INDEX catalog_overrides_pkey ON public.catalog_overrides USING btree (kind, id)
CREATE UNIQUE INDEX catalog_revisions_pkey ON public.catalog_revisions USING btree (hash)
CREATE UNIQUE INDEX database_mark_pkey ON public.database_mark USING btree (id)
CREATE INDEX dead_letters_by_time ON public.dead_letters USING btree (last_at)
CREATE UNIQUE INDEX dead_letters_pkey ON public.dead_letters USING btree (cluster, subject)
CREATE INDEX events_by_subject ON public.events USING btree (subject, "position")
CREATE UNIQUE INDEX events_pkey ON public.events USING btree ("position")
CREATE UNIQUE INDEX history_key_pkey ON public.history_key USING btree (one)
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at)
CREATE UNIQUE INDEX idempotency_keys_pkey ON public.idempotency_keys USING btree (caller, key)
CREATE UNIQUE INDEX instances_pkey ON public.instances USING btree (id)
CREATE UNIQUE INDEX job_attempts_pkey ON public.job_attempts USING btree (job_id, number)
CREATE UNIQUE INDEX job_outputs_pkey ON public.job_outputs USING btree (job_id)
CREATE UNIQUE INDEX job_results_pkey ON public.job_results USING btree (job_id)
CREATE UNIQUE INDEX job_tags_pkey ON public.job_tags USING btree (tag, job_id)
CREATE INDEX jobs_by_cluster ON public.jobs USING btree (cluster_name, id)
CREATE INDEX jobs_by_command ON public.jobs USING btree (command_name, id)
CREATE INDEX jobs_by_duration ON public.jobs USING btree (duration_us, id)
CREATE INDEX jobs_by_finished ON public.jobs USING btree (finished_at, id) WHERE (finished_at IS NOT NULL)
CREATE INDEX jobs_by_name ON public.jobs USING btree (name, id)
CREATE INDEX jobs_by_status ON public.jobs USING btree (status, id)
CREATE INDEX jobs_by_updated ON public.jobs USING btree (updated_at, id)
CREATE INDEX jobs_by_username ON public.jobs USING btree (username, id)
CREATE INDEX jobs_by_version ON public.jobs USING btree (version, id)
CREATE INDEX jobs_due_later ON public.jobs USING btree (not_before) WHERE ((status = 1) AND (not_before > 0))
CREATE INDEX jobs_live ON public.jobs USING btree (lease_owner, username) WHERE (status = ANY (ARRAY[2, 3, 7]))
CREATE UNIQUE INDEX jobs_pkey ON public.jobs USING btree (id)
CREATE INDEX jobs_waiting ON public.jobs USING btree (host_local, priority DESC, id) WHERE (status = 1)
CREATE INDEX jobs_waiting_by_user ON public.jobs USING btree (username, host_local, priority DESC, id) WHERE (status = 1)
CREATE INDEX objects_by_name ON public.objects USING btree (cluster, namespace, name) WHERE (gone = 0)
CREATE INDEX objects_by_scope ON public.objects USING btree (cluster, scope, uid) WHERE (gone = 0)
CREATE INDEX objects_outside ON public.objects USING btree (cluster, scope, uid) WHERE ((outside = 1) AND (gone = 0))
CREATE UNIQUE INDEX objects_pkey ON public.objects USING btree (cluster, uid)
CREATE INDEX record_manifests_loose ON public.record_manifests USING btree (loose_since) WHERE (loose_since IS NOT NULL)
CREATE UNIQUE INDEX record_manifests_pkey ON public.record_manifests USING btree (hash)
CREATE INDEX records_by_application ON public.records USING btree (spark_application_id, start_time, id) WHERE (spark_application_id <> ''::text)
CREATE INDEX records_by_cluster ON public.records USING btree (cluster, start_time, id)
CREATE INDEX records_by_gateway_job ON public.records USING btree (gateway_job, start_time, id) WHERE (gateway_job <> ''::text)
CREATE INDEX records_by_hash ON public.records USING btree (hash, start_time, id) WHERE (hash <> ''::text)
CREATE INDEX records_by_manifest ON public.records USING btree (manifest) WHERE (manifest <> ''::text)
CREATE INDEX records_by_name ON public.records USING btree (name, start_time, id)
CREATE INDEX records_by_namespace ON public.records USING btree (namespace, start_time, id)
CREATE INDEX records_by_project ON public.records USING btree (project, start_time, id)
CREATE INDEX records_by_project_table ON public.records USING btree (project, table_name, start_time, id)
CREATE INDEX records_by_reason ON public.records USING btree (reason, start_time, id)
CREATE INDEX records_by_start ON public.records USING btree (start_time, id)
CREATE INDEX records_by_status ON public.records USING btree (status, start_time, id)
CREATE INDEX records_by_table ON public.records USING btree (table_name, start_time, id)
CREATE INDEX records_by_type ON public.records USING btree (type, start_time, id)
CREATE INDEX records_ended ON public.records USING btree (end_time, id) WHERE (end_time IS NOT NULL)
CREATE UNIQUE INDEX records_of_object ON public.records USING btree (cluster, uid, number)
CREATE INDEX records_open ON public.records USING btree (cluster, uid) WHERE (end_time IS NULL)
CREATE UNIQUE INDEX records_pkey ON public.records USING btree (id)
CREATE INDEX records_unwatched ON public.records USING btree (unwatched_since) WHERE ((unwatched_since IS NOT NULL) AND (end_time IS NULL))
CREATE INDEX records_waiting ON public.records USING btree (opened_at) WHERE ((awaits_status = 1) AND (end_time IS NULL))
CREATE INDEX records_without_outcome ON public.records USING btree (cluster, uid, submission_id) WHERE (has_outcome = 0)
CREATE UNIQUE INDEX schema_migrations_pkey ON public.schema_migrations USING btree (number)
CREATE UNIQUE INDEX stats_hourly_pkey ON public.stats_hourly USING btree (hour, username, command, cluster, status, bucket, shard)
CREATE UNIQUE INDEX tombstones_pkey ON public.tombstones USING btree (job_id)
CREATE UNIQUE INDEX watch_cursors_pkey ON public.watch_cursors USING btree (cluster, scope)
CREATE UNIQUE INDEX watch_leases_pkey ON public.watch_leases USING btree (cluster, scope)
history_key history_key_one_check CHECK ((one = 1))
jobs jobs_status_check CHECK (((status >= 1) AND (status <= 8)))
records records_status_check CHECK (((status >= 1) AND (status <= 4)))
CREATE OR REPLACE FUNCTION public.waybill_now()
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$select (extract(epoch from statement_timestamp()) * 1000000)::bigint$function$

