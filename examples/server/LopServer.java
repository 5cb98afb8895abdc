import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * A test that stays up, for {@code lop --server 'java -cp classes Check' FILE}.
 *
 * <pre>
 * public class Check {
 *     public static void main(String[] args) throws Exception {
 *         LopServer.serve(path -> check(Files.readString(path)).contains("unknown tag"));
 *     }
 * }
 * </pre>
 */
public final class LopServer {
    /** The interestingness test. */
    public interface Test {
        /** Whether the candidate at this path is interesting. */
        boolean isInteresting(Path candidate) throws Exception;
    }

    /**
     * Answers lop until it ends. Whatever the test prints goes to standard error. An exception ends the server; lop then
     * starts another one and asks again.
     */
    public static void serve(Test test) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        for (String path; (path = questions.readLine()) != null; ) {
            answers.println(test.isInteresting(Path.of(path)) ? "interesting" : "not interesting");
            answers.flush();
        }
    }
}
