-- `findings.is_dismissed`: whether `finding_dismissals` has the current evidence of the finding.
CREATE OR REPLACE FUNCTION findings_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.is_dismissed := EXISTS (
    SELECT FROM finding_dismissals d
    WHERE d.parcel_id = NEW.parcel_id AND d.rule = NEW.rule AND d.subject = NEW.subject AND d.evidence_hash = md5(NEW.evidence::text)
  );
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER findings_written BEFORE INSERT OR UPDATE OF evidence ON findings
  FOR EACH ROW EXECUTE FUNCTION findings_written();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION finding_dismissals_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  d finding_dismissals := coalesce(NEW, OLD);
BEGIN
  UPDATE findings f SET is_dismissed = (TG_OP = 'INSERT')
    WHERE f.parcel_id = d.parcel_id AND f.rule = d.rule AND f.subject = d.subject AND md5(f.evidence::text) = d.evidence_hash;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER finding_dismissals_changed AFTER INSERT OR DELETE ON finding_dismissals
  FOR EACH ROW EXECUTE FUNCTION finding_dismissals_changed();
