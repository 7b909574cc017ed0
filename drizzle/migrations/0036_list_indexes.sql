ALTER TABLE "findings" ADD COLUMN "is_dismissed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "findings" f SET "is_dismissed" = true WHERE EXISTS (
	SELECT FROM "finding_dismissals" d
	WHERE d."parcel_id" = f."parcel_id" AND d."rule" = f."rule" AND d."subject" = f."subject" AND d."evidence_hash" = md5(f."evidence"::text)
);--> statement-breakpoint
CREATE INDEX "findings_dismissed" ON "findings" USING btree ("is_dismissed","id");--> statement-breakpoint
CREATE INDEX "work_status" ON "work" USING btree ("status","kind","id");--> statement-breakpoint
CREATE INDEX "work_exports" ON "work" USING btree ("ordering_key","id") WHERE kind = 'export';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" USING btree ("watch_id","id") WHERE status = 'failed';