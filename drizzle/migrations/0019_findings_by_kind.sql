CREATE INDEX "findings_severity" ON "findings" USING btree ("severity","id");--> statement-breakpoint
CREATE INDEX "findings_category" ON "findings" USING btree ("category","id");--> statement-breakpoint
CREATE INDEX "findings_severity_category" ON "findings" USING btree ("severity","category","id");