import org.mustangproject.validator.ZUGFeRDValidator;

/** Prints the report of each e-invoice. */
public class ValidateInvoices {
  public static void main(String[] names) {
    for (String name : names) System.out.println(new ZUGFeRDValidator().validate(name));
  }
}
